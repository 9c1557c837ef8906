package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

class RawArgumentsTest {
    private static final byte[] JAVA = "java".getBytes(StandardCharsets.UTF_8);

    private static byte[] commandLine(byte[]... words) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] word : words) {
            bytes.writeBytes(word);
            bytes.write(0);
        }
        return bytes.toByteArray();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void nonUtf8BytesAreShownWithTheirOption() {
        byte[] latin1 = "gr\u00FCn".getBytes(StandardCharsets.ISO_8859_1);

        Optional<String> complaint =
                RawArguments.undecodableArgument(
                        commandLine(JAVA, utf8("tokenize"), utf8("--text"), latin1),
                        "UTF-8",
                        "tokenize",
                        "--text",
                        "gr\uFFFDn");

        assertEquals(
                Optional.of("--text: expected text in UTF-8, found the bytes FC 6E at position 2"),
                complaint);
    }

    @Test
    void textUnreadableByJavaNamesTheCharset() {
        Optional<String> complaint =
                RawArguments.undecodableArgument(
                        commandLine(JAVA, utf8(""), utf8("gr\u00FCn")),
                        "ANSI_X3.4-1968",
                        "",
                        "gr\uFFFD\uFFFDn");

        assertEquals(
                Optional.of(
                        "argument: expected a UTF-8 locale, found the charset ANSI_X3.4-1968, which"
                            + " cannot represent \"gr\u00FCn\"; start Varve with bin/varve, or set"
                            + " LC_ALL=C.UTF-8"),
                complaint);
    }

    @Test
    void literalReplacementCharacterIsText() {
        assertEquals(
                Optional.empty(),
                RawArguments.undecodableArgument(
                        commandLine(JAVA, utf8("a\uFFFDb")), "UTF-8", "a\uFFFDb"));
    }

    @Test
    void truncatedCommandLineProvesNothing() {
        assertEquals(
                Optional.empty(),
                RawArguments.undecodableArgument(commandLine(JAVA), "UTF-8", "a", "\uFFFD"));
    }
}
