package dev.varve.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Files of random models, named by a digest of the description. Each is computed once in a process,
 * and copied into the folder of every other test that requests it.
 */
final class ModelFile {
    private static final Map<String, Path> COMPUTED = new ConcurrentHashMap<>();

    private ModelFile() {}

    /**
     * Writes a model, unless the folder has it already.
     *
     * @param description everything that the contents depend on
     * @return {@code <family>-l<layers>-e<width>-<type>-<digest>.gguf}
     */
    static Path write(
            Path folder,
            String family,
            Qwen35Model.Size size,
            TensorType type,
            String description,
            Supplier<GgufWriter> contents)
            throws IOException {
        Files.createDirectories(folder);
        Path file = folder.resolve(name(family, size, type, description));
        if (!Files.exists(file)) {
            Path partial = Files.createTempFile(folder, family + "-", ".partial");
            try {
                Path computed = computed(file.getFileName().toString(), contents);
                Files.copy(computed, partial, StandardCopyOption.REPLACE_EXISTING);
                Files.move(
                        partial,
                        file,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(partial);
            }
        }
        return file;
    }

    private static Path computed(String name, Supplier<GgufWriter> contents) throws IOException {
        Path known = COMPUTED.get(name);
        if (known != null) {
            return known;
        }
        Path file = Files.createTempFile("varve-model-", ".gguf");
        file.toFile().deleteOnExit();
        contents.get().write(file);
        COMPUTED.put(name, file);
        return file;
    }

    private static String name(
            String family, Qwen35Model.Size size, TensorType type, String description) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(description.getBytes(StandardCharsets.UTF_8));
            return String.format(
                    Locale.ROOT,
                    "%s-l%d-e%d-%s-%s.gguf",
                    family,
                    size.layers(),
                    size.embedding(),
                    type.name().toLowerCase(Locale.ROOT),
                    HexFormat.of().formatHex(digest, 0, 6));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
