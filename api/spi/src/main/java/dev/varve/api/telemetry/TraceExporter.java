package dev.varve.api.telemetry;

import java.io.IOException;
import java.util.List;

/**
 * Sends traces. One thread at a time calls it; that thread does nothing else, so calls may block.
 */
public interface TraceExporter extends AutoCloseable {
    /**
     * Sends traces and waits until they have arrived, at most for the timeout of the target.
     *
     * @throws IOException if they have not arrived; the traces are dropped and counted as lost
     */
    void export(List<FinishedTrace> traces) throws IOException;

    /** Closes the exporter at once; no export is in progress. */
    @Override
    void close();
}
