package dev.varve.api.gguf;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Header of a model file: metadata and the places of the tensors. Immutable; keeps no file open.
 */
public final class GgufFile {
    private static final Pattern PART = Pattern.compile("(.*)-(\\d{5})-of-(\\d{5})\\.gguf");
    private static final String SPLIT_NUMBER = "split.no";
    private static final String SPLIT_COUNT = "split.count";
    private static final String SPLIT_TENSORS = "split.tensors.count";
    private static final int MAX_PARTS = 4096;

    private final Path path;
    private final List<Path> parts;
    private final int version;
    private final GgufMetadata metadata;
    private final Map<String, GgufTensor> tensors;

    private GgufFile(
            Path path, List<Path> parts, GgufParser.Parsed first, Map<String, GgufTensor> tensors) {
        this.path = path;
        this.parts = List.copyOf(parts);
        this.tensors = Collections.unmodifiableMap(tensors);
        version = first.version();
        metadata = first.metadata();
    }

    /**
     * Reads a file, and with it the other parts if it is one of a split model.
     *
     * @throws ModelFormatException if a file breaks the format
     * @throws VarveException of kind UNREADABLE_FILE if a file cannot be read
     */
    public static GgufFile open(Path path) {
        GgufParser.Parsed named = parse(path);
        long count = named.metadata().findInteger(SPLIT_COUNT).orElse(1);
        if (count == 1) {
            return of(path, List.of(path), List.of(named));
        }
        if (count < 1 || count > MAX_PARTS) {
            throw new ModelFormatException(
                    path, SPLIT_COUNT, "1 to " + MAX_PARTS, Long.toString(count));
        }
        Matcher name = PART.matcher(path.getFileName().toString());
        if (!name.matches() || Long.parseLong(name.group(3)) != count) {
            throw new ModelFormatException(
                    path,
                    "file name",
                    String.format(
                            Locale.ROOT, "NAME-00001-of-%05d.gguf for a part of %d", count, count),
                    path.getFileName().toString());
        }
        List<Path> parts = new ArrayList<>();
        List<GgufParser.Parsed> parsed = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Path part =
                    path.resolveSibling(
                            String.format(
                                    Locale.ROOT,
                                    "%s-%05d-of-%05d.gguf",
                                    name.group(1),
                                    i + 1,
                                    count));
            GgufParser.Parsed content = part.equals(path) ? named : parse(part);
            requireEqual(part, SPLIT_NUMBER, i, content.metadata().integer(SPLIT_NUMBER));
            requireEqual(part, SPLIT_COUNT, count, content.metadata().integer(SPLIT_COUNT));
            parts.add(part);
            parsed.add(content);
        }
        return of(path, parts, parsed);
    }

    private static GgufFile of(Path path, List<Path> parts, List<GgufParser.Parsed> parsed) {
        Map<String, GgufTensor> tensors = new LinkedHashMap<>();
        for (GgufParser.Parsed part : parsed) {
            for (GgufTensor tensor : part.tensors()) {
                if (tensors.putIfAbsent(tensor.name(), tensor) != null) {
                    throw new ModelFormatException(
                            tensor.file(),
                            "tensor " + tensor.name(),
                            "one tensor of this name",
                            "a second one in another part");
                }
            }
        }
        GgufParser.Parsed first = parsed.getFirst();
        if (parts.size() > 1) {
            first.metadata()
                    .findInteger(SPLIT_TENSORS)
                    .ifPresent(
                            expected ->
                                    requireEqual(
                                            parts.getFirst(),
                                            SPLIT_TENSORS,
                                            expected,
                                            tensors.size()));
        }
        return new GgufFile(path, parts, first, tensors);
    }

    private static void requireEqual(Path file, String field, long expected, long found) {
        if (expected != found) {
            throw new ModelFormatException(
                    file, field, Long.toString(expected), Long.toString(found));
        }
    }

    private static GgufParser.Parsed parse(Path path) {
        if (Files.isDirectory(path)) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    path + ": expected a GGUF file, found a folder");
        }
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            // Opening a pipe would wait for its writer.
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    path + ": expected a GGUF file, found something else");
        }
        try (SeekableByteChannel channel = Files.newByteChannel(path)) {
            if (channel.size() == 0) {
                throw new VarveException(
                        VarveException.Kind.CORRUPT_FILE,
                        path + ": expected a GGUF file, found an empty file");
            }
            return new GgufParser(new GgufInput(path, channel)).parse();
        } catch (java.nio.file.NoSuchFileException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE, path + ": no such file", e);
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    path + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }

    /** The file that was opened. */
    public Path path() {
        return path;
    }

    /** All files of the model. */
    public List<Path> parts() {
        return parts;
    }

    /** Version of the format. */
    public int version() {
        return version;
    }

    /** Metadata; of the first part for a split model. */
    public GgufMetadata metadata() {
        return metadata;
    }

    /** All tensors in the order of the files. */
    public Collection<GgufTensor> tensors() {
        return tensors.values();
    }

    /** A tensor by name. */
    public Optional<GgufTensor> tensor(String name) {
        return Optional.ofNullable(tensors.get(name));
    }

    /** A tensor by name; fails if it is missing. */
    public GgufTensor requireTensor(String name) {
        return tensor(name)
                .orElseThrow(
                        () ->
                                new ModelFormatException(
                                        path, "tensor " + name, "to be present", "no such tensor"));
    }

    /**
     * Names the kind of a file that is not a model: an adapter, a projector, an importance matrix,
     * a vocabulary.
     *
     * @return a sentence that names the file and says what to do; empty for models and draft models
     */
    public Optional<String> otherUse() {
        return FileUse.of(metadata, tensors.values())
                .map(use -> path.getFileName() + ": this is " + use.sentence());
    }

    /**
     * Rejects a file that holds something other than a model.
     *
     * @throws VarveException of kind UNSUPPORTED_MODEL that names its purpose
     */
    public GgufFile requireModel() {
        otherUse()
                .ifPresent(
                        sentence -> {
                            throw new VarveException(
                                    VarveException.Kind.UNSUPPORTED_MODEL, sentence);
                        });
        return this;
    }

    /** Value of {@code general.architecture}. */
    public String architecture() {
        return metadata.string("general.architecture");
    }

    /** Bytes of all tensors. */
    public long tensorBytes() {
        return tensors.values().stream().mapToLong(GgufTensor::bytes).sum();
    }
}
