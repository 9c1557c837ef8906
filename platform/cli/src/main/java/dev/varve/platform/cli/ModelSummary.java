package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.gguf.GgufTensor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Summary of a model file in a list.
 *
 * @param about title and description in the file
 * @param size its size
 * @param contextTokens context that the model was trained for
 * @param quantisation element type of the largest part of the weights, such as {@code q4_k}
 */
record ModelSummary(
        String architecture,
        About about,
        Size size,
        OptionalLong contextTokens,
        String quantisation) {
    /**
     * Title and description in a file.
     *
     * @param title {@code general.name}
     * @param description {@code general.description}
     */
    record About(Optional<String> title, Optional<String> description) {}

    /**
     * Size of a model.
     *
     * @param parameters elements of all tensors
     * @param fileBytes length of all files of the model
     */
    record Size(long parameters, long fileBytes) {}

    /**
     * Reads the header of a model.
     *
     * @throws VarveException if a file of it cannot be read or breaks the format
     */
    static ModelSummary of(Path path) {
        GgufFile file = GgufFile.open(path).requireModel();
        GgufMetadata metadata = file.metadata();
        return new ModelSummary(
                file.architecture(),
                new About(
                        metadata.findString("general.name"),
                        metadata.findString("general.description")),
                new Size(
                        parameters(file),
                        file.parts().stream().mapToLong(ModelSummary::length).sum()),
                metadata.findInteger(file.architecture() + ".context_length"),
                quantisation(file));
    }

    /** Returns the summary with another title and no description. */
    ModelSummary titled(String title) {
        return new ModelSummary(
                architecture,
                new About(Optional.of(title), Optional.empty()),
                size,
                contextTokens,
                quantisation);
    }

    /** Counts the elements of all tensors. */
    static long parameters(GgufFile file) {
        return file.tensors().stream().mapToLong(ModelSummary::elements).sum();
    }

    /** Formats a number of parameters, such as {@code 3.1 M} or {@code 27 B}. */
    static String count(long parameters) {
        String[] units = {"", " k", " M", " B", " T"};
        int unit = 0;
        double value = parameters;
        // From 999.5 on, the number would be shown as 1000 of the smaller unit.
        while (value >= 999.5 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        return String.format(
                Locale.ROOT, unit == 0 || value >= 99.95 ? "%.0f%s" : "%.1f%s", value, units[unit]);
    }

    private static long elements(GgufTensor tensor) {
        return tensor.dimensions().stream().reduce(1L, Math::multiplyExact);
    }

    private static String quantisation(GgufFile file) {
        Map<String, Long> bytes = new HashMap<>();
        file.tensors()
                .forEach(
                        tensor -> bytes.merge(tensor.type().ggufName(), tensor.bytes(), Long::sum));
        return bytes.entrySet().stream()
                .max(
                        Comparator.comparingLong(Map.Entry<String, Long>::getValue)
                                .thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .orElse("none");
    }

    private static long length(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }
}
