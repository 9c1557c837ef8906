package dev.varve.platform.store;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folder of all namespaces: its files and their format. */
final class StoreFolder {
    private static final int FORMAT = 1;
    private static final String FILE = "varve-cache.json";
    private static final String NAMESPACE = "namespace.json";
    private static final String JOURNAL = "journal";
    private static final String REBUILDING = "rebuild";
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{32}");
    private static final JsonMapper JSON = new JsonMapper();

    private final Path folder;

    /**
     * A namespace according to its folder.
     *
     * @param valueBytes value size of its stores
     * @param format format of its objects; only that of this program can be read
     */
    record NamespaceFolder(Path folder, Namespace namespace, int valueBytes, int format) {
        boolean isReadable() {
            return format == FORMAT;
        }

        Path journal() {
            return folder.resolve(JOURNAL);
        }

        /** Whether a writer has started its journal. */
        boolean hasJournal() {
            try {
                return Files.size(journal()) >= Long.BYTES;
            } catch (IOException e) {
                return false;
            }
        }

        /** Marker file that exists while the journal may lack objects of the stores. */
        Path rebuilding() {
            return folder.resolve(REBUILDING);
        }

        /**
         * Opens the journal for writing and passes on its entries. If entries are lost, creates a
         * marker, which stays until {@linkplain IndexRebuild the index is rebuilt}.
         */
        Journal write(Consumer<JournalEntry> consumer) throws IOException {
            boolean known = segments().isEmpty() || hasJournal();
            Journal written = Journal.write(journal());
            try {
                written.replay(consumer);
                if (!known || !written.isComplete()) {
                    PrivateFiles.create(rebuilding());
                }
                written.truncateIncomplete();
                return written;
            } catch (IOException | RuntimeException e) {
                written.close();
                throw e;
            }
        }

        /** Its segments, in the order of creation. */
        List<StoreSegment.Id> segments() throws IOException {
            try (Stream<Path> files = Files.list(folder)) {
                return files.flatMap(file -> StoreSegment.Id.of(file).stream())
                        .sorted((one, other) -> Integer.compare(one.number(), other.number()))
                        .toList();
            }
        }
    }

    StoreFolder(Path folder) {
        this.folder = folder;
    }

    /** Creates the folder unless it exists. */
    void create() throws IOException {
        PrivateFiles.createFolder(folder);
    }

    /**
     * Checks that no other user can forge the content that this process reads back. A checksum does
     * not prevent that; a key does.
     *
     * @throws VarveException of kind UNREADABLE_FILE if other users can write to the folder
     */
    void requireOwn(Optional<ChunkCipher> cipher) throws IOException {
        Optional<String> reason =
                cipher.isPresent()
                        ? Optional.empty()
                        : FilePermissionCheck.writableByOthers(folder.toRealPath());
        if (reason.isPresent()) {
            throw refused(
                    "is not used, since other users could forge its prefixes: "
                            + reason.get()
                            + "; expected a folder that only this user can write to, or "
                            + Setting.STORE_KEY);
        }
    }

    /**
     * Checks that the content of the folder can be read with the given key, or without one; records
     * the key id if the folder is new.
     *
     * @param writes whether this process may write
     * @throws VarveException if it was written with another key, or by a newer program
     */
    void require(Optional<ChunkCipher> cipher, boolean writes) throws IOException {
        Optional<JsonNode> known = read(folder.resolve(FILE));
        String wanted = cipher.map(ChunkCipher::id).orElse("");
        if (known.isEmpty()) {
            if (writes) {
                write(
                        folder.resolve(FILE),
                        JSON.createObjectNode().put("format", FORMAT).put("key_id", wanted));
            }
            return;
        }
        int format = known.get().path("format").asInt(0);
        if (format > FORMAT) {
            throw refused(
                    "was written by a newer program: expected format "
                            + FORMAT
                            + ", found "
                            + format);
        }
        String found = known.get().path("key_id").asString("");
        if (!found.equals(wanted)) {
            throw refused(
                    found.isEmpty()
                            ? "is not encrypted; expected no "
                                    + Setting.STORE_KEY
                                    + ", or another folder"
                            : "was encrypted with another key: expected "
                                    + Setting.STORE_KEY
                                    + " with the key of id "
                                    + found
                                    + ", found "
                                    + (wanted.isEmpty() ? "none" : "id " + wanted));
        }
    }

    private VarveException refused(String why) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                Setting.STORE_FOLDER + ": " + folder + " " + why);
    }

    /** All namespaces, readable or not. */
    List<NamespaceFolder> namespaces() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(path -> NAME.matcher(path.getFileName().toString()).matches())
                    .sorted()
                    .flatMap(path -> namespace(path).stream())
                    .toList();
        }
    }

    private static Optional<NamespaceFolder> namespace(Path path) {
        Optional<JsonNode> known = read(path.resolve(NAMESPACE));
        if (known.isEmpty()) {
            return Optional.empty();
        }
        JsonNode json = known.get();
        Map<String, String> description = new LinkedHashMap<>();
        json.path("description")
                .properties()
                .forEach(entry -> description.put(entry.getKey(), entry.getValue().asString("")));
        try {
            byte[] id = HexFormat.of().parseHex(json.path("id").asString(""));
            int valueBytes = json.path("value_bytes").asInt(0);
            return valueBytes < 1
                    ? Optional.empty()
                    : Optional.of(
                            new NamespaceFolder(
                                    path,
                                    new Namespace(id, description),
                                    valueBytes,
                                    json.path("format").asInt(0)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Finds the folder of a namespace, or creates it. Deletes an earlier one that cannot be read or
     * has another format.
     *
     * @param writes whether this process may write
     * @return empty if it does not exist and must not be created
     */
    Optional<NamespaceFolder> namespace(Namespace wanted, int valueBytes, boolean writes)
            throws IOException {
        Path path = folder.resolve(wanted.folder());
        Optional<NamespaceFolder> known =
                namespace(path)
                        .filter(NamespaceFolder::isReadable)
                        .filter(
                                found ->
                                        java.util.Arrays.equals(
                                                found.namespace().id(), wanted.id()));
        if (known.isPresent() || !writes) {
            return known;
        }
        PrivateFiles.delete(path);
        PrivateFiles.createFolder(path);
        ObjectNode json =
                JSON.createObjectNode()
                        .put("format", FORMAT)
                        .put("id", HexFormat.of().formatHex(wanted.id()))
                        .put("value_bytes", valueBytes);
        ObjectNode description = json.putObject("description");
        wanted.description().forEach(description::put);
        write(path.resolve(NAMESPACE), json);
        return Optional.of(new NamespaceFolder(path, wanted, valueBytes, FORMAT));
    }

    private static Optional<JsonNode> read(Path file) {
        try {
            return Optional.of(JSON.readTree(Files.readAllBytes(file)));
        } catch (IOException | JacksonException e) {
            return Optional.empty();
        }
    }

    private static void write(Path file, ObjectNode json) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(next);
        PrivateFiles.create(next);
        Files.write(
                next,
                JSON.writerWithDefaultPrettyPrinter()
                        .writeValueAsString(json)
                        .getBytes(StandardCharsets.UTF_8));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
