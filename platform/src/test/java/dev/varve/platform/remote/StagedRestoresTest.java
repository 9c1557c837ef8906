package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.wire.WireCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.nio.ByteBuffer;
import java.util.List;

/** Restores that are under way together stay apart, and what is given up is freed. */
class StagedRestoresTest {
    private static final int VALUES = 4;
    private static final int BYTES = VALUES * Float.BYTES;
    private static final SnapshotManifest MANIFEST =
            new SnapshotManifest(
                    1, List.of(new SnapshotManifest.Entry("k.0", GgmlType.F32, VALUES, 1)));

    private final StagedRestores staged = new StagedRestores(2 * BYTES);

    /** The {@code number}th place of the caches. */
    private static SequencePlace place(int number) {
        return new SequencePlace(
                new SlotSpan(number * SlotSpan.BLOCK, SlotSpan.BLOCK), 1, 1 + number);
    }

    private TransferId begin(int place, long generation) {
        TransferId id = TransferId.of(place(place), generation);
        staged.begin(id, place(place), MANIFEST);
        return id;
    }

    private static ByteBuffer bytes(int count, int value) {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        while (bytes.hasRemaining()) {
            bytes.put((byte) value);
        }
        return bytes.flip();
    }

    private static byte[] dataOf(StagedRestores.Arrived arrived) {
        return arrived.snapshot().tensors().getFirst().data();
    }

    private static void assertRefused(String part, Executable action) {
        WireException refusal = assertThrows(WireException.class, action);
        assertEquals(WireCode.INVALID_REQUEST, refusal.code());
        assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
    }

    @Test
    void restoresWhosePiecesMixStayApart() {
        TransferId one = begin(0, 1);
        TransferId other = begin(1, 2);

        staged.add(one, 0, bytes(5, 1));
        staged.add(other, 0, bytes(7, 2));
        staged.add(one, 5, bytes(BYTES - 5, 1));
        staged.add(other, 7, bytes(BYTES - 7, 2));
        StagedRestores.Arrived second = staged.take(other);
        StagedRestores.Arrived first = staged.take(one);

        assertEquals(place(0), first.place());
        assertArrayEquals(bytes(BYTES, 1).array(), dataOf(first));
        assertEquals(place(1), second.place());
        assertArrayEquals(bytes(BYTES, 2).array(), dataOf(second));
        assertEquals(0, staged.stagedBytes());
    }

    @Test
    void anIdThatWasNeverBegunIsRefused() {
        begin(0, 3);
        TransferId unknown = TransferId.of(place(0), 2);
        TransferId elsewhere = TransferId.of(place(1), 3);

        for (TransferId id : List.of(unknown, elsewhere)) {
            String found = "transfer " + id + ": expected one that was begun and has not ended";
            assertRefused(found, () -> staged.add(id, 0, bytes(1, 1)));
            assertRefused(found, () -> staged.take(id));
            assertRefused(found, () -> staged.abort(id));
        }
        assertEquals(BYTES, staged.stagedBytes());
    }

    @Test
    void anIdIsUsedOnce() {
        TransferId id = begin(0, 7);
        staged.abort(id);

        assertRefused("expected a generation above 7", () -> begin(0, 7));
        assertRefused("expected a generation above 7", () -> begin(1, 6));
        assertRefused(
                "expected a generation above 7",
                () -> staged.requireNew(TransferId.of(place(2), 7)));
    }

    @Test
    void whatIsAbortedIsFreed() {
        TransferId first = begin(0, 1);
        begin(1, 2);
        assertRefused("at most 0 bytes beside " + 2 * BYTES, () -> begin(2, 3));

        staged.abort(first);

        assertEquals(BYTES, staged.stagedBytes());
        begin(2, 4);
        assertEquals(2 * BYTES, staged.stagedBytes());
    }

    @Test
    void aPlaceIsRestoredByOneTransferAtATime() {
        TransferId first = begin(0, 1);

        assertRefused("its place is being restored by transfer " + first, () -> begin(0, 2));
        SequencePlace sameRow =
                new SequencePlace(new SlotSpan(5 * SlotSpan.BLOCK, SlotSpan.BLOCK), 1, 1);
        assertRefused(
                "its place is being restored by transfer " + first,
                () -> staged.begin(TransferId.of(sameRow, 3), sameRow, MANIFEST));
    }

    @Test
    void aWrongPieceEndsItsTransferAlone() {
        TransferId good = begin(0, 1);
        TransferId bad = begin(1, 2);
        staged.add(good, 0, bytes(4, 1));

        assertRefused("bytes from 0, found from 4", () -> staged.add(bad, 4, bytes(4, 2)));

        assertRefused("expected one that was begun", () -> staged.take(bad));
        staged.add(good, 4, bytes(BYTES - 4, 1));
        assertArrayEquals(bytes(BYTES, 1).array(), dataOf(staged.take(good)));
    }

    @Test
    void aSnapshotThatIsTooLongOrTooShortIsRefusedAndFreed() {
        TransferId longer = begin(0, 1);
        TransferId shorter = begin(1, 2);
        staged.add(shorter, 0, bytes(BYTES - 1, 2));

        assertRefused("more of them", () -> staged.add(longer, 0, bytes(BYTES + 1, 1)));
        assertRefused("fewer", () -> staged.take(shorter));

        assertEquals(0, staged.stagedBytes());
    }

    @Test
    void thereIsAMostNumberOfThem() {
        StagedRestores empty = new StagedRestores(BYTES);
        SnapshotManifest nothing = new SnapshotManifest(1, List.of());
        for (int i = 0; i < StagedRestores.MOST; i++) {
            empty.begin(TransferId.of(place(i), i + 1), place(i), nothing);
        }

        SequencePlace next = place(StagedRestores.MOST);
        WireException refusal =
                assertThrows(
                        WireException.class,
                        () -> empty.begin(TransferId.of(next, 1000), next, nothing));

        assertEquals(WireCode.OVERLOADED, refusal.code());
    }
}
