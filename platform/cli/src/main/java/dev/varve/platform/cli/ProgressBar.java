package dev.varve.platform.cli;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * Progress line on a terminal, redrawn and finally cleared; without a terminal nothing is shown.
 * For one thread at a time.
 */
final class ProgressBar implements AutoCloseable {
    private static final int WIDTH = 30;

    private final PrintWriter out;
    private final boolean visible;
    private final String label;
    private long lastDrawn = -1;
    private int length;

    private ProgressBar(PrintWriter out, boolean visible, String label) {
        this.out = out;
        this.visible = visible;
        this.label = label;
    }

    static ProgressBar of(PrintWriter err, Environment environment, String label) {
        return new ProgressBar(
                err, environment.terminals().contains(Environment.Stream.ERR), label);
    }

    /** Shows {@code done} of {@code total}; draws only if the line changes. */
    synchronized void show(long done, long total) {
        long percent = total <= 0 ? 100 : Math.clamp(done * 100 / total, 0, 100);
        if (!visible || percent == lastDrawn) {
            return;
        }
        lastDrawn = percent;
        int filled = (int) (percent * WIDTH / 100);
        String line =
                String.format(
                        Locale.ROOT,
                        "\r%s [%s%s] %3d %%",
                        label,
                        "=".repeat(filled),
                        " ".repeat(WIDTH - filled),
                        percent);
        length = line.length();
        out.print(line);
        out.flush();
    }

    @Override
    public void close() {
        wipe();
    }

    /** Clears the line, so that other text can be written. */
    synchronized void wipe() {
        if (length > 0) {
            out.print("\r" + " ".repeat(length) + "\r");
            out.flush();
            length = 0;
        }
    }
}
