package dev.varve.platform.content;

import dev.varve.api.gguf.GgufTensor;
import dev.varve.platform.digest.Sha256;
import dev.varve.platform.file.AtomicFile;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Stores the digests of files' tensors, in memory and in records. A record is beside the model file
 * as {@code NAME.digests}, or in a folder of this user if that location is not writable. A record
 * is UTF-8 text, line by line:
 *
 * <pre>
 * varve-tensor-digests 1
 * BYTES MODIFIED INODE       of the file; the time as in ISO 8601
 * OFFSET BYTES SHA256        for each tensor, 64 hexadecimal digits
 * end SHA256                 of all lines before
 * </pre>
 *
 * <p>A record only saves time. This class ignores and rewrites a record that is damaged, belongs to
 * another state of the file, or is writable for a user who cannot change the file itself. If two
 * processes write at once, the last one wins; the digests of the other one are computed again when
 * they are needed.
 */
final class DigestRecords {
    private static final Logger LOG = System.getLogger("dev.varve.content");
    private static final String MAGIC = "varve-tensor-digests 1";
    private static final String SUFFIX = ".digests";
    private static final String END = "end ";
    private static final long MOST_BYTES = 64 << 20;

    /**
     * File system clocks have a coarse resolution: a second write shortly after may keep the time.
     */
    private static final Duration SETTLED = Duration.ofSeconds(2);

    private static final int ROOT = 0;
    private static final int FILE_TYPE = 0170000;
    private static final int REGULAR = 0100000;
    private static final int WRITABLE_BY_OTHERS = 022;

    private final Path folder;
    private final Map<Path, Known> memory = new HashMap<>();

    /** Digests of one state of a file. */
    private record Known(FileIdentity identity, Map<GgufTensor.Place, String> digests) {}

    /** Signals that a record is not usable, for the reason in the message. */
    private static final class UnusableException extends IOException {
        UnusableException(String reason) {
            super(reason);
        }
    }

    /**
     * @param folder for records that cannot lie beside their file; need not exist yet
     */
    DigestRecords(Path folder) {
        this.folder = folder;
    }

    /** Returns the stored digests of a file in this state; empty if none are known. */
    synchronized Map<GgufTensor.Place, String> find(Path file, FileIdentity identity) {
        Known known = memory.get(file);
        if (known != null && known.identity().equals(identity)) {
            return known.digests();
        }
        for (Path record : List.of(beside(file), apart(file))) {
            try {
                Map<GgufTensor.Place, String> digests = read(record, file, identity);
                memory.put(file, new Known(identity, digests));
                return digests;
            } catch (NoSuchFileException e) {
                // Expected before the first record is written.
            } catch (IOException e) {
                LOG.log(
                        Level.INFO,
                        "{0} is not used; the tensor digests are computed again: {1}",
                        record,
                        e.getMessage());
            }
        }
        return Map.of();
    }

    /** Stores digests of a file in this state, unless the file was modified a moment ago. */
    synchronized void store(
            Path file, FileIdentity identity, Map<GgufTensor.Place, String> digests) {
        if (identity.modified().isAfter(Instant.now().minus(SETTLED))) {
            return;
        }
        memory.put(file, new Known(identity, Map.copyOf(digests)));
        byte[] text = text(identity, digests).getBytes(StandardCharsets.UTF_8);
        try {
            write(beside(file), text);
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "{0} cannot be written: {1}", beside(file), e.toString());
            storeSeparately(file, text);
        }
    }

    private void storeSeparately(Path file, byte[] text) {
        try {
            Files.createDirectories(folder);
            write(apart(file), text);
        } catch (IOException e) {
            LOG.log(
                    Level.INFO,
                    "{0}: the tensor digests cannot be stored, neither beside the file nor in {1}:"
                            + " {2}",
                    file,
                    folder,
                    e.toString());
        }
    }

    static Path beside(Path file) {
        return file.resolveSibling(file.getFileName() + SUFFIX);
    }

    private Path apart(Path file) {
        String path = file.toAbsolutePath().normalize().toString();
        return folder.resolve(Sha256.hex(path).substring(0, 24) + SUFFIX);
    }

    private static void write(Path record, byte[] text) throws IOException {
        AtomicFile.replace(record, AtomicFile.Readers.ALL, fresh -> Files.write(fresh, text));
    }

    private static String text(FileIdentity identity, Map<GgufTensor.Place, String> digests) {
        Map<Long, String> lines = new TreeMap<>();
        digests.forEach(
                (place, digest) ->
                        lines.put(
                                place.offset(),
                                place.offset() + " " + place.bytes() + " " + digest + "\n"));
        String body = MAGIC + "\n" + state(identity) + "\n" + String.join("", lines.values());
        return body + END + Sha256.hex(body) + "\n";
    }

    /** Omits the device: its number may change with each boot. */
    private static String state(FileIdentity identity) {
        return identity.bytes() + " " + identity.modified() + " " + identity.inode();
    }

    private static Map<GgufTensor.Place, String> read(Path record, Path file, FileIdentity identity)
            throws IOException {
        requireTrusted(record, file);
        String text = new String(Files.readAllBytes(record), StandardCharsets.UTF_8);
        int end = text.lastIndexOf(END);
        if (end < 0
                || !text.substring(end).equals(END + Sha256.hex(text.substring(0, end)) + "\n")) {
            throw new UnusableException("damaged or cut short");
        }
        List<String> lines = text.substring(0, end).lines().toList();
        if (lines.size() < 2 || !lines.getFirst().equals(MAGIC)) {
            throw new UnusableException("expected " + MAGIC + ", found another format");
        }
        if (!lines.get(1).equals(state(identity))) {
            throw new UnusableException(
                    "the file has changed: expected "
                            + state(identity)
                            + " (bytes, time, inode), found "
                            + lines.get(1));
        }
        Map<GgufTensor.Place, String> digests = new HashMap<>();
        for (String line : lines.subList(2, lines.size())) {
            String[] fields = line.split(" ", -1);
            if (fields.length != 3 || !fields[2].matches("[0-9a-f]{" + Sha256.DIGITS + "}")) {
                throw new UnusableException("expected OFFSET BYTES SHA256, found another format");
            }
            digests.put(
                    new GgufTensor.Place(file, number(fields[0]), number(fields[1])), fields[2]);
        }
        return Map.copyOf(digests);
    }

    private static long number(String digits) throws UnusableException {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw new UnusableException("expected a number, found something else");
        }
    }

    /** Rejects a record that may be written by users who cannot change the model file. */
    private static void requireTrusted(Path record, Path file) throws IOException {
        Map<String, Object> found =
                Files.readAttributes(record, "unix:mode,uid,size", LinkOption.NOFOLLOW_LINKS);
        int mode = (Integer) found.get("mode");
        if ((mode & FILE_TYPE) != REGULAR) {
            throw new UnusableException("it is not a regular file");
        }
        if ((Long) found.get("size") > MOST_BYTES) {
            throw new UnusableException("it has more than " + MOST_BYTES + " bytes");
        }
        int owner = (Integer) found.get("uid");
        if (!List.of(ROOT, owner(Path.of("/proc/self")), owner(file)).contains(owner)) {
            throw new UnusableException(
                    "it belongs to user " + owner + ", who does not own the model file");
        }
        if ((mode & WRITABLE_BY_OTHERS) != 0) {
            throw new UnusableException("users other than its owner can write to it");
        }
    }

    private static int owner(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:uid");
    }
}
