package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;

class DownloadProgressTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MEBIBYTE = 1L << 20;

    private final StringWriter text = new StringWriter();
    private long now;

    private DownloadProgress progress(boolean terminal) {
        return new DownloadProgress(new PrintWriter(text, true), terminal, () -> now);
    }

    @Test
    void withoutATerminalALineAppearsEveryTenSeconds() {
        try (DownloadProgress progress = progress(false)) {
            for (int second = 0; second <= 25; second++) {
                now = second * SECOND;
                progress.progress("m.gguf", (100 + 2 * second) * MEBIBYTE, 400 * MEBIBYTE);
            }
        }

        assertEquals(
                """
                varve: m.gguf: 30 %, 120.0 MiB of 400.0 MiB, 2.0 MiB/s, 2:20 min left
                varve: m.gguf: 35 %, 140.0 MiB of 400.0 MiB, 2.0 MiB/s, 2:10 min left
                """,
                text.toString());
    }

    @Test
    void aTerminalShowsOneLineThatIsClearedBeforeANote() {
        try (DownloadProgress progress = progress(true)) {
            progress.progress("m.gguf", 0, 10_000 * MEBIBYTE);
            now = SECOND;
            progress.progress("m.gguf", MEBIBYTE, 10_000 * MEBIBYTE);
            progress.note("the connection ended");
        }

        String line = "m.gguf: 0 %, 1.0 MiB of 9.8 GiB, 1.0 MiB/s, 2 h 46 min left";
        assertEquals(
                "\r"
                        + line
                        + "\r"
                        + " ".repeat(line.length())
                        + "\r"
                        + "varve: the connection ended\n",
                text.toString());
    }

    @Test
    void aLongNameIsShortenedAtItsBeginning() {
        try (DownloadProgress progress = progress(false)) {
            progress.progress("x".repeat(50) + "-00001-of-00002.gguf", 0, 0);
            now = 10 * SECOND;
            progress.progress("x".repeat(50) + "-00001-of-00002.gguf", 0, 0);
        }

        assertTrue(
                text.toString()
                        .startsWith("varve: ..." + "x".repeat(17) + "-00001-of-00002.gguf: "),
                text.toString());
    }

    @Test
    void anUnknownLengthShowsNoTimeLeft() {
        try (DownloadProgress progress = progress(false)) {
            progress.progress("m.gguf", 0, 0);
            now = 10 * SECOND;
            progress.progress("m.gguf", 50 * MEBIBYTE, 0);
        }

        assertEquals("varve: m.gguf: 50.0 MiB, 5.0 MiB/s\n", text.toString());
    }

    @Test
    void aDownloadThatStartsAgainHasNoNegativeRate() {
        try (DownloadProgress progress = progress(false)) {
            progress.progress("m.gguf", 100 * MEBIBYTE, 200 * MEBIBYTE);
            now = 10 * SECOND;
            progress.progress("m.gguf", 0, 200 * MEBIBYTE);
        }

        assertTrue(text.toString().contains("stalled"), text.toString());
    }
}
