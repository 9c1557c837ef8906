package dev.varve.bench.http;

import java.util.List;

/** Receives results, as soon as they are known. */
interface Report {
    /** Reports that the servers respond and the measurement begins. */
    void begin(BenchPlan plan, List<Side> sides);

    /** Reports a scenario that is complete or ended early. */
    void section(Section section);

    /** Reports a failure. */
    void failed(String reason);

    /** Reports the end of the run. */
    void end();
}
