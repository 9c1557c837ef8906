package dev.varve.platform.remote;

import dev.varve.platform.wire.Message;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Flight recorder event: one batch that was sent to another process and returned. */
@Name("varve.ShardTransport")
@Label("Shard Transport")
@Category("Varve")
@Description("One batch sent to a shard in another process, until its result was read")
@StackTrace(false)
final class TransportEvent extends Event {
    @Label("Device")
    String device;

    @Label("Sent")
    @DataAmount
    long sentBytes;

    @Label("Received")
    @DataAmount
    long receivedBytes;

    @Label("Computing")
    @Description("Time that the other process spent computing")
    @Timespan(Timespan.NANOSECONDS)
    long computeNanos;

    /** Begins an event, and returns its end, which commits it if it is being recorded. */
    static TransportRecording begin(String device) {
        TransportEvent event = new TransportEvent();
        event.begin();
        return (request, reply, nanos) -> event.end(device, request, reply, nanos);
    }

    private void end(String to, Message request, Message reply, long nanos) {
        if (shouldCommit()) {
            device = to;
            sentBytes = bytes(request);
            receivedBytes = bytes(reply);
            computeNanos = nanos;
            commit();
        }
    }

    private static long bytes(Message message) {
        return (long) message.meta().remaining() + message.payload().remaining();
    }
}
