package dev.varve.platform.shard.local;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.LayerActivations;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Flight recorder event: activations of one batch moved into or out of a shard's device. */
@Name("varve.ShardBoundary")
@Label("Shard Boundary")
@Category("Varve")
@Description("Activations of one batch moved into or out of the device of a shard in this process")
@StackTrace(false)
final class ActivationTransferEvent extends Event {
    @Label("Device")
    String device;

    @Label("First Layer")
    int firstLayer;

    @Label("End Layer")
    int endLayer;

    @Label("Direction")
    @Description("IN: from the previous layers, OUT: to the next layers")
    String direction;

    @Label("Tokens")
    int tokens;

    @Label("Bytes")
    @DataAmount
    long bytes;

    /** Begins an event, and returns its end, which commits it if it is being recorded. */
    static ActivationTransferRecording begin(
            String device, LayerRange range, ActivationTransferRecording.Direction direction) {
        ActivationTransferEvent event = new ActivationTransferEvent();
        event.begin();
        return moved -> event.end(device, range, direction, moved);
    }

    private void end(
            String of,
            LayerRange range,
            ActivationTransferRecording.Direction way,
            LayerActivations moved) {
        if (shouldCommit()) {
            device = of;
            firstLayer = range.begin();
            endLayer = range.end();
            direction = way.name();
            tokens = moved.tokens();
            bytes = moved.bytes();
            commit();
        }
    }
}
