package dev.varve.platform.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The arguments as the operating system holds them, to find those that Java could not decode: Java
 * silently replaces undecodable bytes by U+FFFD.
 */
final class RawArguments {
    private static final Path OF_THIS_PROCESS = Path.of("/proc/self/cmdline");
    private static final char REPLACEMENT = '\uFFFD';
    private static final int SHOWN_BYTES = 16;

    /** Property with the charset of arguments and file names; Java has no other API for it. */
    private static final String CHARSET_PROPERTY = "sun.jnu.encoding";

    private RawArguments() {}

    /**
     * Finds arguments that Java decoded wrongly.
     *
     * @return message about the first one; empty if all are correct
     */
    static Optional<String> undecodableArgument(String... arguments) {
        if (String.join("", arguments).indexOf(REPLACEMENT) < 0) {
            return Optional.empty();
        }
        try {
            return undecodableArgument(
                    Files.readAllBytes(OF_THIS_PROCESS),
                    System.getProperty(CHARSET_PROPERTY, "unknown"),
                    arguments);
        } catch (IOException e) {
            // Without /proc nothing more is known.
            return Optional.empty();
        }
    }

    /**
     * @param commandLine words that end in a zero byte, the last ones being the arguments
     * @param charset charset with which Java decoded them
     */
    static Optional<String> undecodableArgument(
            byte[] commandLine, String charset, String... arguments) {
        List<byte[]> words = split(commandLine);
        int first = words.size() - arguments.length;
        for (int i = 0; i < arguments.length && first >= 0; i++) {
            byte[] word = words.get(first + i);
            if (arguments[i].indexOf(REPLACEMENT) < 0) {
                continue;
            }
            String name = i > 0 && arguments[i - 1].startsWith("-") ? arguments[i - 1] : "argument";
            try {
                String written =
                        StandardCharsets.UTF_8
                                .newDecoder()
                                .decode(ByteBuffer.wrap(word))
                                .toString();
                if (!written.equals(arguments[i])) {
                    return Optional.of(
                            name
                                    + ": expected a UTF-8 locale, found the charset "
                                    + charset
                                    + ", which cannot represent \""
                                    + written
                                    + "\"; start Varve with bin/varve, or set LC_ALL=C.UTF-8");
                }
            } catch (CharacterCodingException e) {
                return Optional.of(
                        name + ": expected text in UTF-8, found the bytes " + shown(word));
            }
        }
        return Optional.empty();
    }

    private static List<byte[]> split(byte[] commandLine) {
        List<byte[]> words = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i < commandLine.length; i++) {
            if (commandLine[i] == 0) {
                words.add(Arrays.copyOfRange(commandLine, begin, i));
                begin = i + 1;
            }
        }
        return words;
    }

    /** Formats the bytes from the first non-ASCII one on. */
    private static String shown(byte[] word) {
        int begin = 0;
        while (begin < word.length && word[begin] >= 0) {
            begin++;
        }
        int end = Math.min(word.length, begin + SHOWN_BYTES);
        return HexFormat.ofDelimiter(" ").withUpperCase().formatHex(word, begin, end)
                + (end < word.length ? " ..." : "")
                + " at position "
                + begin;
    }
}
