package dev.varve.plugin.hip;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Properties of a shared library, read from its bytes: loading a second base of ggml beside the one
 * of this process, even for a moment, would leave its handlers installed.
 */
record LibraryFile(Path path) {
    /** The text that {@code ggml_version} returns is a separate constant. */
    private static final Pattern RELEASE = Pattern.compile("\\d{1,4}\\.\\d{1,4}\\.\\d{1,6}");

    /** The name of ggml's base, as its own name or as a dependency. */
    private static final Pattern BASE = Pattern.compile("libggml-base\\.so(\\.\\d+)*");

    private static final byte[] MAGIC = {0x7F, 'E', 'L', 'F'};
    private static final int LONGEST = 64;

    /** Returns whether it is a library or program at all. */
    boolean isLibrary() {
        try (InputStream in = Files.newInputStream(path)) {
            return Arrays.equals(in.readNBytes(MAGIC.length), MAGIC);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /** The ggml release of a base library. */
    Optional<String> release() {
        return find(RELEASE);
    }

    /** The base library's own name, or the name under which another library depends on it. */
    Optional<String> baseName() {
        return find(BASE);
    }

    /** The first text between two zero bytes that matches as a whole. */
    private Optional<String> find(Pattern wanted) {
        byte[] text = new byte[LONGEST];
        int length = 0;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(path), 1 << 16)) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                if (next == 0) {
                    String found =
                            new String(
                                    text,
                                    0,
                                    Math.min(length, LONGEST),
                                    StandardCharsets.ISO_8859_1);
                    if (length <= LONGEST && wanted.matcher(found).matches()) {
                        return Optional.of(found);
                    }
                    length = 0;
                } else {
                    if (length < LONGEST) {
                        text[length] = (byte) next;
                    }
                    length = Math.min(length + 1, LONGEST + 1);
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private VarveException unreadable(IOException e) {
        return new VarveException(
                VarveException.Kind.UNAVAILABLE,
                path + ": the library cannot be read: " + FileErrors.reason(e),
                e);
    }
}
