package dev.varve.platform.remote;

import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.wire.WireCode;
import dev.varve.platform.wire.WireException;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Snapshots on their way into the caches of a session, side by side. What was staged is freed when
 * it is taken, aborted, or when one of its pieces is wrong; all of it with the session. For one
 * thread.
 */
final class StagedRestores {
    /** No server restores as many sequences at once. */
    static final int MOST = 64;

    private final long mostBytes;
    private final Map<TransferId, Staged> staged = new LinkedHashMap<>();
    private long latest;

    private record Staged(
            SequencePlace place, SnapshotManifest manifest, SnapshotManifest.Assembly assembly) {}

    /** A snapshot that has arrived. */
    record Arrived(SequencePlace place, ShardSnapshot snapshot) {}

    /**
     * @param mostBytes bytes of all caches: the snapshots of places that do not overlap are never
     *     larger
     */
    StagedRestores(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /**
     * Takes note of a transfer in either direction.
     *
     * @throws WireException if its generation was used before
     */
    void requireNew(TransferId id) {
        if (id.generation() <= latest) {
            throw refused("transfer " + id + ": expected a generation above " + latest);
        }
        latest = id.generation();
    }

    /** Makes room for a snapshot. */
    void begin(TransferId id, SequencePlace place, SnapshotManifest manifest) {
        requireNew(id);
        staged.forEach(
                (other, known) -> {
                    if (overlap(place, known.place())) {
                        throw refused(
                                "transfer "
                                        + id
                                        + ": its place is being restored by transfer "
                                        + other);
                    }
                });
        long bytes = stagedBytes();
        if (manifest.bytes() > mostBytes - bytes) {
            throw FieldReader.invalid(
                    "snapshot",
                    "at most " + (mostBytes - bytes) + " bytes beside " + bytes + " on their way",
                    manifest.bytes());
        }
        if (staged.size() == MOST) {
            throw new WireException(
                    WireCode.OVERLOADED,
                    WireException.Retry.WORTHWHILE,
                    "transfer " + id + ": " + MOST + " restores are under way already");
        }
        staged.put(id, new Staged(place, manifest, manifest.assemble()));
    }

    private static boolean overlap(SequencePlace one, SequencePlace other) {
        SlotSpan mine = one.slots();
        SlotSpan theirs = other.slots();
        return one.stateRow() == other.stateRow()
                || mine.begin() < theirs.end() && theirs.begin() < mine.end();
    }

    /**
     * Adds a piece.
     *
     * @param offset bytes of the snapshot in front of it
     */
    void add(TransferId id, long offset, ByteBuffer piece) {
        Staged target = known(id);
        try {
            target.assembly().add(offset, piece);
        } catch (WireException e) {
            staged.remove(id);
            throw e;
        }
    }

    /** Hands over a snapshot that is complete; it is no longer staged, whatever comes of it. */
    Arrived take(TransferId id) {
        Staged done = known(id);
        staged.remove(id);
        return new Arrived(done.place(), done.assembly().done());
    }

    /** Frees what was staged. */
    void abort(TransferId id) {
        known(id);
        staged.remove(id);
    }

    /** Bytes of everything that is under way. */
    long stagedBytes() {
        return staged.values().stream().mapToLong(each -> each.manifest().bytes()).sum();
    }

    private Staged known(TransferId id) {
        return Optional.ofNullable(staged.get(id))
                .orElseThrow(
                        () ->
                                refused(
                                        "transfer "
                                                + id
                                                + ": expected one that was begun and has not"
                                                + " ended, found "
                                                + staged.keySet()));
    }

    private static WireException refused(String why) {
        return new WireException(WireCode.INVALID_REQUEST, why);
    }
}
