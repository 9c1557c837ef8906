package dev.varve.platform.cli;

import dev.varve.platform.hub.DownloadListener;
import dev.varve.platform.setting.ByteCount;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Shows the progress of a download with its rate and the time left: on a terminal in one line that
 * is redrawn, elsewhere as a line every ten seconds. For one thread.
 */
final class DownloadProgress implements DownloadListener, AutoCloseable {
    private static final long SECOND = 1_000_000_000L;

    /** Time between two lines without a terminal, and the time over which the rate is measured. */
    private static final long LINE = 10 * SECOND;

    /** Characters of a file's name that are shown; the last ones number the parts. */
    private static final int NAME = 40;

    private static final long REDRAW = SECOND / 5;

    private record Sample(long nanos, long doneBytes) {}

    private final PrintWriter err;
    private final boolean terminal;
    private final LongSupplier nanoTime;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private long shown;
    private int length;

    /**
     * @param nanoTime clock, as {@link System#nanoTime}
     */
    DownloadProgress(PrintWriter err, boolean terminal, LongSupplier nanoTime) {
        this.err = err;
        this.terminal = terminal;
        this.nanoTime = nanoTime;
        shown = nanoTime.getAsLong();
    }

    static DownloadProgress of(PrintWriter err, Environment environment) {
        return new DownloadProgress(
                err, environment.terminals().contains(Environment.Stream.ERR), System::nanoTime);
    }

    @Override
    public void progress(String file, long doneBytes, long totalBytes) {
        long now = nanoTime.getAsLong();
        if (!samples.isEmpty() && doneBytes < samples.getLast().doneBytes()) {
            samples.clear();
        }
        if (samples.isEmpty() || now - samples.getLast().nanos() >= REDRAW) {
            samples.add(new Sample(now, doneBytes));
        }
        while (samples.size() > 2 && now - samples.getFirst().nanos() > LINE) {
            samples.removeFirst();
        }
        if (now - shown < (terminal ? REDRAW : LINE)) {
            return;
        }
        shown = now;
        String line = line(shortened(file), doneBytes, totalBytes, rate(now, doneBytes));
        if (terminal) {
            err.print("\r" + line + " ".repeat(Math.max(0, length - line.length())));
            length = line.length();
        } else {
            err.println("varve: " + line);
        }
        err.flush();
    }

    private static String shortened(String name) {
        return name.length() <= NAME ? name : "..." + name.substring(name.length() - NAME + 3);
    }

    /** Bytes per second. */
    private double rate(long now, long doneBytes) {
        Sample first = samples.getFirst();
        return now > first.nanos()
                ? (doneBytes - first.doneBytes()) * (double) SECOND / (now - first.nanos())
                : 0;
    }

    private static String line(String file, long done, long total, double rate) {
        String speed = ByteCount.format((long) rate) + "/s";
        if (total <= 0) {
            return String.format(Locale.ROOT, "%s: %s, %s", file, ByteCount.format(done), speed);
        }
        return String.format(
                Locale.ROOT,
                "%s: %d %%, %s of %s, %s, %s",
                file,
                done * 100 / total,
                ByteCount.format(done),
                ByteCount.format(total),
                speed,
                rate < 1 ? "stalled" : left((long) ((total - done) / rate)) + " left");
    }

    private static String left(long seconds) {
        Duration left = Duration.ofSeconds(seconds);
        return left.toHours() > 0
                ? String.format(Locale.ROOT, "%d h %02d min", left.toHours(), left.toMinutesPart())
                : String.format(Locale.ROOT, "%d:%02d min", left.toMinutes(), left.toSecondsPart());
    }

    @Override
    public void note(String text) {
        close();
        err.println("varve: " + text);
        err.flush();
    }

    /** Clears the line of a terminal. */
    @Override
    public void close() {
        if (length > 0) {
            err.print("\r" + " ".repeat(length) + "\r");
            err.flush();
            length = 0;
        }
    }
}
