package dev.varve.platform.wire;

import java.util.concurrent.atomic.LongAdder;

/** Counters behind {@link WireStatistics}. Thread-safe. */
final class WireCounters {
    final LongAdder bytesSent = new LongAdder();
    final LongAdder bytesReceived = new LongAdder();
    final LongAdder sharedPayloads = new LongAdder();

    WireStatistics read(PayloadTransport transport) {
        return new WireStatistics(
                bytesSent.sum(), bytesReceived.sum(), transport, sharedPayloads.sum());
    }
}
