package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.KeptParts;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Tests that each shard gets its own parts, with their index in the whole transfer. */
class ShardTransferPartsTest {
    private static final List<Integer> LAYERS = List.of(0, 3, 5, 1, 3, 4, 0);
    private static final List<CachePart> ALL =
            IntStream.range(0, LAYERS.size()).mapToObj(ShardTransferPartsTest::part).toList();

    private static CachePart part(int index) {
        return new CachePart.State(LAYERS.get(index), List.of(1L), 1, 1 + index);
    }

    @Test
    void shardHasThePartsOfItsLayersInOrder() {
        ShardTransferParts middle =
                ShardTransferParts.of(new LayerRange(1, 4), ALL, new KeptParts());

        assertEquals(List.of(ALL.get(1), ALL.get(3), ALL.get(4)), middle.parts());
        assertEquals(List.of(1, 3, 4), middle.places());
        assertEquals(
                List.of(),
                ShardTransferParts.of(new LayerRange(2, 3), ALL, new KeptParts()).parts());
    }

    @Test
    void partsOfAllShardsAddUpToTheWhole() {
        List<byte[]> expected = new ArrayList<>();
        KeptParts taken = new KeptParts();
        KeptParts given = new KeptParts();
        for (int i = 0; i < ALL.size(); i++) {
            expected.add(new byte[] {(byte) i, 7});
        }
        KeptParts source = KeptParts.of(expected);

        for (LayerRange range :
                List.of(new LayerRange(4, 6), new LayerRange(0, 1), new LayerRange(1, 4))) {
            ShardTransferParts taking = ShardTransferParts.of(range, ALL, taken);
            ShardTransferParts giving = ShardTransferParts.of(range, ALL, source);
            for (int i = 0; i < taking.parts().size(); i++) {
                int place = taking.places().get(i);
                taking.accept(i, ByteBuffer.wrap(expected.get(place)));
                ByteBuffer target = ByteBuffer.allocate(2);
                giving.give(i, target);
                given.accept(place, target.flip());
            }
        }

        for (int i = 0; i < ALL.size(); i++) {
            assertArrayEquals(expected.get(i), taken.all().get(i), "taken " + i);
            assertArrayEquals(expected.get(i), given.all().get(i), "given " + i);
        }
    }
}
