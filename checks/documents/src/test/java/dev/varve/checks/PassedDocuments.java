package dev.varve.checks;

import org.languagetool.JLanguageTool;
import org.languagetool.language.BritishEnglish;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;

/**
 * Digests of the documents in which an earlier build found no mistake. A digest covers the text,
 * the versions of LanguageTool and of its rules for English, and all that configures it, so another
 * build would find none either.
 */
final class PassedDocuments {
    private final Path file;
    private final byte[] configuration;
    private final Set<String> earlier;
    private final Set<String> now = new TreeSet<>();

    /**
     * Reads the digests of earlier builds.
     *
     * @param file one digest on each line; it may be missing or damaged
     * @param type class that configures LanguageTool
     * @param resources files beside that class from which it reads
     */
    PassedDocuments(Path file, Class<?> type, String... resources) throws IOException {
        this.file = file;
        MessageDigest digest = sha256();
        digest.update(library(JLanguageTool.class));
        digest.update(library(BritishEnglish.class));
        digest.update(content(type, type.getSimpleName() + ".class"));
        for (String resource : resources) {
            digest.update(content(type, resource));
        }
        configuration = digest.digest();
        earlier = digests(file);
    }

    /** Returns the lines of a file; those of a damaged one are the digest of no document. */
    private static Set<String> digests(Path file) throws IOException {
        return Files.isRegularFile(file)
                ? new HashSet<>(Files.readAllLines(file, StandardCharsets.ISO_8859_1))
                : Set.of();
    }

    /** Returns the address of a class's jar, which contains its version. */
    private static byte[] library(Class<?> type) {
        String address = type.getProtectionDomain().getCodeSource().getLocation().toString();
        return address.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] content(Class<?> type, String resource) throws IOException {
        try (InputStream stream = type.getResourceAsStream(resource)) {
            return stream.readAllBytes();
        }
    }

    /** Whether an earlier build has checked this text with this configuration; if so, keeps it. */
    boolean contains(String text) {
        String digest = digest(text);
        if (!earlier.contains(digest)) {
            return false;
        }
        now.add(digest);
        return true;
    }

    /** Records a text that has no mistake. */
    void add(String text) {
        now.add(digest(text));
    }

    /** Writes the digests of the texts of this build, and drops all others. */
    void save() {
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, now);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String digest(String text) {
        MessageDigest digest = sha256();
        digest.update(configuration);
        return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }
}
