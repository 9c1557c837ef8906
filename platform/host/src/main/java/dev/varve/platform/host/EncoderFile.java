package dev.varve.platform.host;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.TextEncoder;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.local.CausalEncoder;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Optional;
import java.util.OptionalInt;

/** A model file as an encoder of texts. */
final class EncoderFile {
    private final GgufFile file;
    private final ModelFamilyProvider family;
    private final ModelOptions options;

    EncoderFile(GgufFile file, PluginCatalog catalog, ModelOptions options) {
        this.file = file;
        this.options = options;
        family = catalog.family(file.architecture(), file.path());
    }

    /** Returns the pooling that the file requests, if any. */
    static Optional<Pooling> pooling(GgufFile file) {
        return file.metadata().findInteger(file.architecture() + ".pooling_type").stream()
                .boxed()
                .findFirst()
                .flatMap(Pooling::ofKey);
    }

    /** Whether the file requests a pooling, as those do that were made for vectors or scores. */
    static boolean isMadeForIt(GgufFile file) {
        return pooling(file).filter(found -> found != Pooling.NONE).isPresent();
    }

    /** Whether a plugin serves the architecture, and generates no text with it. */
    static boolean isOfEncoder(GgufFile file, PluginCatalog catalog) {
        return catalog.families().containsKey(file.architecture())
                && new EncoderFile(file, catalog, ModelOptions.defaults()).isEncoder();
    }

    /** Whether the architecture generates no text. */
    boolean isEncoder() {
        return family.openEncoder(file, options).isPresent();
    }

    Tokenizer tokenizer() {
        return Tokenizer.of(file, family.preTokenizers());
    }

    /**
     * Opens the file.
     *
     * @throws dev.varve.api.VarveException if the family rejects it, or it has recurrent layers
     */
    TextEncoder open(Tokenizer tokenizer) {
        return family.openEncoder(file, options).orElseGet(() -> causal(tokenizer));
    }

    private TextEncoder causal(Tokenizer tokenizer) {
        LayerSplitAdapter adapter = family.open(file, options);
        Pooling pooling = pooling(file).filter(found -> found != Pooling.NONE).orElse(Pooling.LAST);
        return new CausalEncoder(new OpenedModel(file, adapter), pooling, answers(tokenizer));
    }

    private static Optional<CausalEncoder.Answers> answers(Tokenizer tokenizer) {
        OptionalInt yes = tokenizer.tokenId("yes");
        OptionalInt no = tokenizer.tokenId("no");
        return yes.isPresent() && no.isPresent()
                ? Optional.of(new CausalEncoder.Answers(yes.getAsInt(), no.getAsInt()))
                : Optional.empty();
    }
}
