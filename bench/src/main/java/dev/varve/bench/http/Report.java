package dev.varve.bench.http;

import java.util.List;

/** Hears what was measured, as soon as it is known. */
interface Report {
    /** The servers answer; the measurement begins. */
    void begin(BenchPlan plan, List<Side> sides);

    /** A scenario is done, or came to an end before. */
    void section(Section section);

    /** Something came to nothing. */
    void failed(String reason);

    /** All is done. */
    void end();
}
