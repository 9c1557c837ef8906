package dev.varve.platform.http.fetch;

import dev.varve.platform.vision.InvalidImageException;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads one reply of HTTP/1.1, whose connection is not used again. */
final class ReplyReader {
    private static final int MAX_HEADER_BYTES = 64 << 10;
    private static final int BLOCK = 16 << 10;
    private static final int HEX = 16;

    private final InputStream input;
    private final int maxBytes;
    private int headerBytes;

    /**
     * @param input buffered
     * @param maxBytes largest body
     */
    ReplyReader(InputStream input, int maxBytes) {
        this.input = input;
        this.maxBytes = maxBytes;
    }

    /**
     * The head of a reply.
     *
     * @param status such as 200
     * @param fields the first value of each header by its name in lower case
     */
    record Head(int status, Map<String, String> fields) {
        Optional<String> field(String name) {
            return Optional.ofNullable(fields.get(name));
        }
    }

    /**
     * Reads the head.
     *
     * @throws InvalidImageException if it is no HTTP
     */
    Head head() throws IOException {
        String[] status = line().split(" ", 3);
        if (status.length < 2 || !status[0].startsWith("HTTP/1.")) {
            throw malformed();
        }
        Map<String, String> fields = new HashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw malformed();
            }
            fields.putIfAbsent(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return new Head(number(status[1], 10), fields);
    }

    /**
     * Reads the body.
     *
     * @throws InvalidImageException if it is larger than allowed, compressed or malformed
     */
    byte[] body(Head head) throws IOException {
        head.field("content-encoding")
                .filter(coding -> !coding.equalsIgnoreCase("identity"))
                .ifPresent(
                        coding -> {
                            throw new InvalidImageException(
                                    "the image's host sends it with the coding " + coding);
                        });
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        Optional<String> transfer = head.field("transfer-encoding");
        Optional<String> length = head.field("content-length");
        if (transfer.isPresent()) {
            if (!transfer.get().equalsIgnoreCase("chunked")) {
                throw malformed();
            }
            readChunks(body);
        } else if (length.isPresent()) {
            read(number(length.get(), 10), body);
        } else {
            readRest(body);
        }
        return body.toByteArray();
    }

    private void readChunks(ByteArrayOutputStream body) throws IOException {
        while (true) {
            headerBytes = 0;
            String size = line();
            int extension = size.indexOf(';');
            int bytes = number((extension < 0 ? size : size.substring(0, extension)).strip(), HEX);
            if (bytes == 0) {
                return;
            }
            read(bytes, body);
            if (!line().isEmpty()) {
                throw malformed();
            }
        }
    }

    /** Reads some bytes; a wrong length allocates no more than what arrives. */
    private void read(int bytes, ByteArrayOutputStream body) throws IOException {
        requireRoom(bytes, body);
        byte[] block = new byte[BLOCK];
        int left = bytes;
        while (left > 0) {
            int read = input.read(block, 0, Math.min(BLOCK, left));
            if (read < 0) {
                throw new EOFException();
            }
            body.write(block, 0, read);
            left -= read;
        }
    }

    private void readRest(ByteArrayOutputStream body) throws IOException {
        byte[] block = new byte[BLOCK];
        for (int read = input.read(block); read >= 0; read = input.read(block)) {
            requireRoom(read, body);
            body.write(block, 0, read);
        }
    }

    private void requireRoom(int bytes, ByteArrayOutputStream body) {
        if (bytes > maxBytes - body.size()) {
            throw new InvalidImageException(
                    "the image at the URL has more than " + maxBytes + " bytes");
        }
    }

    /** Reads a line without its end. */
    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            if (++headerBytes > MAX_HEADER_BYTES) {
                throw malformed();
            }
            line.write(next);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    private static int number(String text, int radix) {
        try {
            int number = Integer.parseInt(text, radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Refused below.
        }
        throw malformed();
    }

    private static InvalidImageException malformed() {
        return new InvalidImageException("the image's host sends a malformed reply");
    }
}
