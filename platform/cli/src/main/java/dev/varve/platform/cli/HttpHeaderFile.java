package dev.varve.platform.cli;

import dev.varve.api.FileErrors;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of HTTP headers, one {@code Name: value} a line; empty lines and those that begin with
 * {@code #} are ignored. Values may be secret, so no error shows one.
 */
final class HttpHeaderFile {
    /** RFC 9110, 5.1 and 5.5; only the ASCII part of values. */
    private static final Pattern LINE =
            Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \\t]*([ -~]*)");

    private HttpHeaderFile() {}

    /**
     * Reads a file.
     *
     * @param flag flag that names the file
     * @throws UsageException if it cannot be read, or a line is not a header
     */
    static Map<String, String> read(String flag, Path file) {
        Map<String, String> headers = new LinkedHashMap<>();
        List<String> lines = lines(flag, file);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Matcher header = LINE.matcher(line);
            if (!header.matches()) {
                throw new UsageException(
                        flag + ": " + file + " line " + (i + 1) + ": expected NAME: VALUE");
            }
            headers.put(header.group(1), header.group(2));
        }
        if (headers.isEmpty()) {
            throw new UsageException(
                    flag + ": " + file + ": expected NAME: VALUE lines, found none");
        }
        return headers;
    }

    private static List<String> lines(String flag, Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UsageException(
                    flag + ": " + file + " cannot be read: " + FileErrors.reason(e));
        }
    }
}
