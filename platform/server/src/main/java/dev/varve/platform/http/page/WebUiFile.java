package dev.varve.platform.http.page;

import dev.varve.platform.digest.Sha256;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * A file of the web page, plain and compressed.
 *
 * @param name path below the page's folder
 * @param type media type
 * @param plain uncompressed bytes
 * @param packed the bytes compressed with gzip
 * @param mark digest of the bytes
 */
record WebUiFile(String name, String type, byte[] plain, byte[] packed, String mark) {
    private static final int MARK_BYTES = 8;

    private static final Map<String, String> TYPES =
            Map.of(
                    "html", "text/html; charset=utf-8",
                    "css", "text/css; charset=utf-8",
                    "js", "text/javascript; charset=utf-8",
                    "svg", "image/svg+xml",
                    "txt", "text/plain; charset=utf-8",
                    "woff2", "font/woff2");

    /** Compresses the bytes. The array is shared, not copied: the page's classes only read it. */
    static WebUiFile of(String name, byte[] plain) {
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type == null) {
            throw new IllegalStateException("the web page has a file of an unknown type: " + name);
        }
        MessageDigest digest = Sha256.begin();
        digest.update(plain);
        return new WebUiFile(name, type, plain, pack(plain), mark(digest));
    }

    static String mark(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest(), 0, MARK_BYTES);
    }

    private static byte[] pack(byte[] plain) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream(plain.length / 2);
        try (GZIPOutputStream gzip = new BestGzip(packed)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory cannot fail", e);
        }
        return packed.toByteArray();
    }

    private static final class BestGzip extends GZIPOutputStream {
        BestGzip(ByteArrayOutputStream out) throws IOException {
            super(out);
            def.setLevel(Deflater.BEST_COMPRESSION);
        }
    }
}
