package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.platform.host.EmbeddingModel;
import dev.varve.platform.http.serving.ModelCapability;
import dev.varve.platform.http.serving.ModelOutline;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.SequenceLimits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * Metadata of a model file, read before anything is loaded.
 *
 * @param stamp distinguishes the file from a replacement
 * @param trainedTokens context that the model was trained for; 0 if unknown
 * @param template its own chat template
 */
record ModelHeader(
        Path file,
        String stamp,
        String architecture,
        Optional<String> title,
        int trainedTokens,
        Optional<String> template) {
    /**
     * Reads the header.
     *
     * @throws VarveException if the file cannot be read or breaks the format
     */
    static ModelHeader read(Path path) {
        String stamp = stamp(path);
        GgufFile file = GgufFile.open(path).requireModel();
        GgufMetadata metadata = file.metadata();
        long trained = metadata.findInteger(file.architecture() + ".context_length").orElse(0);
        return new ModelHeader(
                path,
                stamp,
                file.architecture(),
                metadata.findString("general.name").filter(text -> !text.isBlank()),
                Math.clamp(trained, 0, Integer.MAX_VALUE),
                metadata.findString("tokenizer.chat_template"));
    }

    /**
     * Returns time, length and identity of a file; for a split model those of the part that is
     * named.
     *
     * @throws VarveException of kind UNREADABLE_FILE if it does not exist
     */
    static String stamp(Path path) {
        try {
            BasicFileAttributes facts = Files.readAttributes(path, BasicFileAttributes.class);
            return facts.lastModifiedTime() + " " + facts.size() + " " + facts.fileKey();
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    path + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }

    /** Limits the requested context to the trained one. */
    OptionalInt contextTokens(OptionalInt asked) {
        return asked.isPresent() && trainedTokens > 0
                ? OptionalInt.of(Math.min(asked.getAsInt(), trainedTokens))
                : asked;
    }

    /**
     * Returns whether the model computes vectors or scores and generates no text.
     *
     * @param catalog the families, which are asked if the file does not say it
     */
    boolean isEncoder(Supplier<PluginCatalog> catalog) {
        return EmbeddingModel.isEncoder(file, template.isPresent(), catalog);
    }

    /**
     * Returns the outline that clients get while the model is not loaded.
     *
     * @param asked requested limit of a request's tokens
     * @param otherTemplate whether another chat template replaces its own
     */
    ModelOutline outline(String id, OptionalInt asked, boolean otherTemplate) {
        int offered =
                contextTokens(asked)
                        .orElse(
                                trainedTokens == 0
                                        ? SequenceLimits.DEFAULT_CONTEXT
                                        : Math.min(trainedTokens, SequenceLimits.DEFAULT_CONTEXT));
        return new ModelOutline(
                id,
                title.orElse(id),
                architecture,
                new ModelOutline.Context(trainedTokens, offered),
                created(),
                ModelCapability.expected(otherTemplate ? Optional.of("") : template));
    }

    private long created() {
        try {
            return Files.getLastModifiedTime(file).toMillis() / 1000;
        } catch (IOException e) {
            // The file existed a moment ago; nothing depends on its time.
            return 0;
        }
    }
}
