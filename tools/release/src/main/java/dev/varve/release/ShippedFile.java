package dev.varve.release;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * A file of an installation that somebody may have written elsewhere: a jar, a native library, or a
 * file of a library for the web page.
 *
 * @param path path in the installation, with {@code /}; a file in a jar has the jar's path and
 *     {@code !/} before it
 * @param sha256 digest of its bytes, 64 hexadecimal digits
 */
record ShippedFile(String path, String sha256) {
    private static final String WEB_LIBRARIES = "/page/lib/";

    /** Folder of the Java runtime, which is one work. */
    private static final String JAVA = "jre/";

    /** The jar or folder that contains it: empty unless it is in a jar. */
    String jar() {
        int end = path.indexOf("!/");
        return end < 0 ? "" : path.substring(0, end);
    }

    /** Its name without folders. */
    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    boolean isWebLibrary() {
        return path.contains(WEB_LIBRARIES);
    }

    boolean isNative() {
        return isNative(path);
    }

    private static boolean isNative(String path) {
        return path.endsWith(".so") || path.contains(".so.");
    }

    private static boolean isListed(String path) {
        return isNative(path) || path.contains(WEB_LIBRARIES);
    }

    /** Returns the files of an installation, without its Java, in the order of their paths. */
    static List<ShippedFile> of(Path installation) throws IOException {
        List<ShippedFile> files = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(installation)) {
            for (Path path : paths.filter(Files::isRegularFile).sorted().toList()) {
                String name = installation.relativize(path).toString();
                if (name.startsWith(JAVA)) {
                    continue;
                }
                if (name.endsWith(".jar")) {
                    files.add(new ShippedFile(name, digest(Files.readAllBytes(path))));
                    addEntries(name, path, files);
                } else if (isNative(name)) {
                    files.add(new ShippedFile(name, digest(Files.readAllBytes(path))));
                }
            }
        }
        return List.copyOf(files);
    }

    private static void addEntries(String name, Path jar, List<ShippedFile> files)
            throws IOException {
        try (InputStream bytes = Files.newInputStream(jar);
                ZipInputStream entries = new ZipInputStream(bytes)) {
            for (ZipEntry entry = entries.getNextEntry();
                    entry != null;
                    entry = entries.getNextEntry()) {
                if (!entry.isDirectory() && isListed(entry.getName())) {
                    files.add(
                            new ShippedFile(
                                    name + "!/" + entry.getName(), digest(entries.readAllBytes())));
                }
            }
        }
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
