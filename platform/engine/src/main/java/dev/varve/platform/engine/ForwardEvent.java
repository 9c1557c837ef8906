package dev.varve.platform.engine;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.Shard;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Flight recorder event: one batch in one shard. */
@Name("varve.ShardForward")
@Label("Shard Forward")
@Category("Varve")
@Description("One batch computed by one shard, including the transfers to the shard and back")
@StackTrace(false)
final class ForwardEvent extends Event {
    @Label("Device")
    String device;

    @Label("First Layer")
    int firstLayer;

    @Label("End Layer")
    int endLayer;

    @Label("Phase")
    String phase;

    @Label("Tokens")
    int tokens;

    @Label("Success")
    boolean success;

    /** Begins an event, and returns its end, which commits it if it is being recorded. */
    static ForwardRecording begin(Shard shard, Batch batch) {
        ForwardEvent event = new ForwardEvent();
        event.begin();
        return successful -> event.end(shard, batch, successful);
    }

    private void end(Shard shard, Batch batch, boolean successful) {
        if (shouldCommit()) {
            device = shard.device();
            firstLayer = shard.range().begin();
            endLayer = shard.range().end();
            phase = batch.phase().name();
            tokens = batch.tokens();
            success = successful;
            commit();
        }
    }
}
