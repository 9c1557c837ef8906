package dev.varve.plugin.decoders;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.MtpBlock;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Opens files of each {@link Architecture}. */
public final class DecoderFamilies implements ModelFamilyProvider {
    /** Architectures whose files may have a block for multi-token prediction. */
    private static final Set<Architecture> WITH_MTP =
            EnumSet.of(Architecture.GLM4MOE, Architecture.DEEPSEEK2);

    @Override
    public Set<String> architectures() {
        return Arrays.stream(Architecture.values())
                .map(Architecture::key)
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
        DecoderFile description = new DecoderFile(model, options);
        Decoder decoder = Architecture.of(model).read(description);
        DecoderModel opened =
                new DecoderModel(model, decoder, description.keys().ropeFactorsByContext());
        // Selects all layers now, so that a tensor that any range lacks is reported when the model
        // is opened.
        opened.tensors(decoder.backbone().allLayers());
        return opened;
    }

    @Override
    public Optional<LayerSplitAdapter> openMtp(
            GgufFile file, GgufFile target, ModelOptions options) {
        Architecture architecture = Architecture.of(file);
        return WITH_MTP.contains(architecture)
                ? MtpBlock.open(file, target, options, () -> mtpLayer(architecture, file, options))
                : Optional.empty();
    }

    private static MtpLayer mtpLayer(
            Architecture architecture, GgufFile file, ModelOptions options) {
        Decoder block = architecture.read(DecoderFile.ofMtpBlock(file, options));
        return new MtpLayer(block.layers().getFirst(), block.backbone().width());
    }
}
