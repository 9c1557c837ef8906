package dev.varve.plugin.decoders;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/** Opens files of each {@link Architecture}. */
public final class DecoderFamilies implements ModelFamilyProvider {
    @Override
    public Set<String> architectures() {
        return Arrays.stream(Architecture.values())
                .map(Architecture::key)
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
        Decoder decoder = Architecture.of(model).read(new DecoderFile(model, options));
        DecoderModel opened = new DecoderModel(model, decoder);
        // Selects all layers now, so that a tensor that any range lacks is reported when the model
        // is opened.
        opened.tensors(decoder.backbone().allLayers());
        return opened;
    }
}
