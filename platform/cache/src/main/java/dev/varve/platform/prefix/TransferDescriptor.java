package dev.varve.platform.prefix;

import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.RowLayout;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the bytes of some cells lie on the devices: a state, a window, or rows of consecutive
 * positions of a layer, which need not lie in one place.
 *
 * @param cells what host memory has, or will have
 * @param firstPosition of the rows in the cells
 * @param parts in the order of their positions
 */
record TransferDescriptor(HostAllocation cells, int firstPosition, List<CachePart> parts) {
    TransferDescriptor {
        parts = List.copyOf(parts);
    }

    /** Cells that are one part. */
    static TransferDescriptor whole(HostAllocation cells, CachePart part) {
        return new TransferDescriptor(cells, 0, List.of(part));
    }

    /** Bytes of all parts. */
    long bytes() {
        return parts.stream().mapToLong(CachePart::bytes).sum();
    }

    /** The parts of several cells, one behind the other. */
    static List<CachePart> all(List<TransferDescriptor> group) {
        List<CachePart> all = new ArrayList<>();
        group.forEach(each -> all.addAll(each.parts));
        return all;
    }

    /** Takes over the bytes of a part among all of a group. */
    static void take(List<TransferDescriptor> group, int index, ByteBuffer bytes) {
        int rest = index;
        for (TransferDescriptor each : group) {
            if (rest < each.parts.size()) {
                each.take(each.parts.get(rest), bytes);
                return;
            }
            rest -= each.parts.size();
        }
        throw new IllegalArgumentException("part " + index);
    }

    /** Hands out the bytes of a part among all of a group. */
    static void give(List<TransferDescriptor> group, int index, ByteBuffer target) {
        int rest = index;
        for (TransferDescriptor each : group) {
            if (rest < each.parts.size()) {
                each.give(each.parts.get(rest), target);
                return;
            }
            rest -= each.parts.size();
        }
        throw new IllegalArgumentException("part " + index);
    }

    private void take(CachePart part, ByteBuffer bytes) {
        switch (part) {
            case CachePart.Rows rows -> take(rows.layout(), rows.position(), rows.count(), bytes);
            case CachePart.Page page -> take(page.layout(), page.position(), page.count(), bytes);
            case CachePart.Window window -> cells.write(bytes);
            case CachePart.State state -> cells.write(bytes);
        }
    }

    private void take(RowLayout layout, int position, int count, ByteBuffer bytes) {
        int limit = bytes.limit();
        bytes.limit(bytes.position() + Math.toIntExact(layout.keyBytes() * count));
        cells.write(keysAt(layout, position), bytes);
        bytes.limit(limit);
        cells.write(valuesAt(layout, position), bytes);
    }

    private void give(CachePart part, ByteBuffer target) {
        switch (part) {
            case CachePart.Rows rows -> give(rows.layout(), rows.position(), rows.count(), target);
            case CachePart.Page page -> give(page.layout(), page.position(), page.count(), target);
            case CachePart.Window window -> cells.read(0, cells.bytes(), target);
            case CachePart.State state -> cells.read(0, cells.bytes(), target);
        }
    }

    private void give(RowLayout layout, int position, int count, ByteBuffer target) {
        cells.read(keysAt(layout, position), layout.keyBytes() * count, target);
        cells.read(valuesAt(layout, position), layout.valueBytes() * count, target);
    }

    private long keysAt(RowLayout layout, int position) {
        return (position - firstPosition) * layout.keyBytes();
    }

    /** All K rows come before the V rows. */
    private long valuesAt(RowLayout layout, int position) {
        long stored = cells.bytes() / layout.bytes(1);
        return stored * layout.keyBytes() + (position - firstPosition) * layout.valueBytes();
    }
}
