package dev.varve.platform.wire;

import java.util.concurrent.atomic.LongAdder;

/** Running sums behind {@link WireStatistics}. Thread-safe. */
final class WireCounters {
    final LongAdder bytesSent = new LongAdder();
    final LongAdder bytesReceived = new LongAdder();
    final LongAdder messagesSent = new LongAdder();
    final LongAdder messagesReceived = new LongAdder();
    final LongAdder sharedPayloads = new LongAdder();
    volatile long lastRoundTripMicros;

    WireStatistics read(boolean shared) {
        return new WireStatistics(
                bytesSent.sum(),
                bytesReceived.sum(),
                messagesSent.sum(),
                messagesReceived.sum(),
                shared ? "shared" : "stream",
                sharedPayloads.sum(),
                lastRoundTripMicros);
    }
}
