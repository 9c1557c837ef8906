package dev.varve.api.telemetry;

import java.io.IOException;
import java.util.List;

/** Sends traces. For one thread at a time, which does nothing else and may wait. */
public interface TraceExporter extends AutoCloseable {
    /**
     * Sends traces and waits until they have arrived, at most as long as the target says.
     *
     * @throws IOException if they have not: they are given up, and counted as lost
     */
    void export(List<FinishedTrace> traces) throws IOException;

    /** Ends at once; nothing is under way. */
    @Override
    void close();
}
