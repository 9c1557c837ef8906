package dev.varve.bench.http;

import java.io.PrintWriter;
import java.util.List;

/** Prints each failure before it forwards it to another report, and records that one occurred. */
final class Failures implements Report {
    private final PrintWriter err;
    private final Report next;
    private boolean any;

    Failures(PrintWriter err, Report next) {
        this.err = err;
        this.next = next;
    }

    /** Whether anything failed up to now. */
    boolean any() {
        return any;
    }

    @Override
    public void begin(BenchPlan plan, List<Side> sides) {
        next.begin(plan, sides);
    }

    @Override
    public void section(Section section) {
        section.failure().ifPresent(reason -> failed(section.heading().scenario() + ": " + reason));
        next.section(section);
    }

    @Override
    public void failed(String reason) {
        any = true;
        err.println("bench/run.sh http: " + reason);
        err.flush();
        next.failed(reason);
    }

    @Override
    public void end() {
        next.end();
    }
}
