package dev.varve.plugin.gemma4;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.DraftHead;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;

import java.util.Optional;
import java.util.Set;

/** Opens {@code gemma4} files, and the matching {@code gemma4-assistant} files. */
public final class Gemma4Family implements ModelFamilyProvider {
    @Override
    public Set<String> architectures() {
        return Set.of("gemma4");
    }

    @Override
    public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
        Gemma4Sizes sizes = Gemma4Sizes.read(model, options);
        return new Gemma4Model(sizes, new Gemma4Tensors(model, sizes));
    }

    @Override
    public Set<String> assistants() {
        return Set.of(Gemma4Assistant.ARCHITECTURE);
    }

    @Override
    public Optional<DraftHead> openDraftHead(GgufFile file, GgufFile target, ModelOptions options) {
        return Gemma4Assistant.open(file, target, options);
    }
}
