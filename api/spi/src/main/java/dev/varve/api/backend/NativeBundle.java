package dev.varve.api.backend;

import dev.varve.api.VarveException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The libraries in a plugin's jar and their folder on disk. The folder's name holds the digest of
 * the manifest: another release gets another folder, and several processes can share one. The
 * folder is published by an atomic rename. Sizes are checked at every start, and a damaged folder
 * is replaced.
 *
 * <p>Manifest, beside the libraries in {@code natives/linux-x64-BACKEND/}: one line per file,
 * {@code sha256 size name}.
 */
public final class NativeBundle {
    private record Entry(String digest, long size, String name) {}

    private static final String RESOURCES = "/natives/linux-x64-";
    private static final int DIGEST_DIGITS = 12;

    private final Class<?> owner;
    private final String resources;
    private final Path cacheFolder;

    /**
     * @param owner a class of the jar that holds the libraries
     * @param backend name of the backend that they are for
     * @param cacheFolder parent folder for the unpacked libraries; created if it is missing
     */
    public NativeBundle(Class<?> owner, String backend, Path cacheFolder) {
        this.owner = owner;
        resources = RESOURCES + backend + "/";
        this.cacheFolder = cacheFolder;
    }

    /**
     * Returns the folder with the libraries, unpacking them if necessary.
     *
     * @throws VarveException of kind UNAVAILABLE if the jar holds none or they cannot be written
     */
    public Path unpack() {
        try {
            byte[] manifest = manifest();
            List<Entry> entries = parse(new String(manifest, StandardCharsets.UTF_8));
            String digest =
                    HexFormat.of().formatHex(sha256().digest(manifest)).substring(0, DIGEST_DIGITS);
            Path folder = cacheFolder.toAbsolutePath().resolve("ggml-" + digest);
            if (!isComplete(folder, entries)) {
                install(folder, entries);
            }
            return folder;
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    cacheFolder
                            + ": the ggml libraries cannot be unpacked: "
                            + e
                            + "; set VARVE_CACHE to a folder of your own",
                    e);
        }
    }

    private byte[] manifest() throws IOException {
        try (InputStream stream = owner.getResourceAsStream(resources + "manifest.txt")) {
            if (stream == null) {
                throw new VarveException(
                        VarveException.Kind.UNAVAILABLE,
                        "the jar of " + owner.getName() + " holds no libraries");
            }
            return stream.readAllBytes();
        }
    }

    private static List<Entry> parse(String manifest) {
        List<Entry> entries = new ArrayList<>();
        for (String line : manifest.lines().toList()) {
            String[] fields = line.split(" ", 3);
            entries.add(new Entry(fields[0], Long.parseLong(fields[1]), fields[2]));
        }
        return entries;
    }

    private static boolean isComplete(Path folder, List<Entry> entries) throws IOException {
        for (Entry entry : entries) {
            Path file = folder.resolve(entry.name());
            if (!Files.isRegularFile(file) || Files.size(file) != entry.size()) {
                return false;
            }
        }
        return true;
    }

    private void install(Path folder, List<Entry> entries) throws IOException {
        Files.createDirectories(folder.getParent());
        Path fresh = Files.createTempDirectory(folder.getParent(), folder.getFileName() + ".new");
        try {
            for (Entry entry : entries) {
                write(entry, fresh.resolve(entry.name()));
            }
            // Only its owner can read a temporary folder, but a cache may be shared.
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
            publish(fresh, folder, entries);
        } finally {
            delete(fresh);
        }
    }

    private void write(Entry entry, Path target) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream stream = owner.getResourceAsStream(resources + entry.name())) {
            if (stream == null) {
                throw new IOException(entry.name() + " is missing from the jar");
            }
            Files.copy(new DigestInputStream(stream, digest), target);
        }
        String found = HexFormat.of().formatHex(digest.digest());
        if (!found.equals(entry.digest())) {
            throw new IOException(
                    entry.name() + ": expected digest " + entry.digest() + ", found " + found);
        }
    }

    /**
     * Renames the new folder into place. Another process may have published it first, or a damaged
     * folder may exist.
     */
    private static void publish(Path fresh, Path folder, List<Entry> entries) throws IOException {
        try {
            Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (DirectoryNotEmptyException | FileAlreadyExistsException e) {
            replaceDamaged(fresh, folder, entries);
        } catch (AtomicMoveNotSupportedException e) {
            throw e;
        } catch (FileSystemException e) {
            replaceDamaged(fresh, folder, entries);
        }
    }

    /**
     * Replaces single files, each atomically: a process that has mapped the old files keeps them.
     */
    private static void replaceDamaged(Path fresh, Path folder, List<Entry> entries)
            throws IOException {
        for (Entry entry : entries) {
            Path target = folder.resolve(entry.name());
            if (!Files.isRegularFile(target) || Files.size(target) != entry.size()) {
                Files.move(fresh.resolve(entry.name()), target, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
