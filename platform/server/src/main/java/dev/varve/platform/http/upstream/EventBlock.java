package dev.varve.platform.http.upstream;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** A block of an event stream: its lines up to an empty one. */
final class EventBlock {
    private static final byte[] DATA = "data".getBytes(StandardCharsets.US_ASCII);

    private EventBlock() {}

    /**
     * Returns the block as it is sent to a client. A block without data is not an event, but some
     * clients treat it as one and fail: the empty line after it is removed, so that its lines
     * belong to the next block. Its event name is removed too.
     */
    static byte[] joinable(byte[] block) {
        return hasData(block)
                ? block
                : new String(block, StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> !line.isEmpty() && !line.startsWith("event"))
                        .map(line -> line + "\n")
                        .collect(Collectors.joining())
                        .getBytes(StandardCharsets.UTF_8);
    }

    private static boolean hasData(byte[] block) {
        boolean begin = true;
        for (int at = 0; at < block.length; at++) {
            if (begin && isDataAt(block, at)) {
                return true;
            }
            begin = block[at] == '\n' || block[at] == '\r';
        }
        return false;
    }

    private static boolean isDataAt(byte[] block, int at) {
        for (int i = 0; i < DATA.length; i++) {
            if (at + i >= block.length || block[at + i] != DATA[i]) {
                return false;
            }
        }
        int end = at + DATA.length;
        return end == block.length || block[end] == ':' || block[end] == '\n' || block[end] == '\r';
    }
}
