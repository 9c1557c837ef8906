package dev.varve.platform.prefix;

import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.RowLayout;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Place of the bytes of a host allocation on the devices: a state, a window, or rows of consecutive
 * positions of a layer, which may lie in several places.
 *
 * @param cells allocation in host memory
 * @param firstPosition position of the first row in the allocation
 * @param parts in the order of their positions
 */
record TransferDescriptor(HostAllocation cells, int firstPosition, List<CachePart> parts) {
    TransferDescriptor {
        parts = List.copyOf(parts);
    }

    /** Creates a descriptor of an allocation that is one part. */
    static TransferDescriptor whole(HostAllocation cells, CachePart part) {
        return new TransferDescriptor(cells, 0, List.of(part));
    }

    /** Bytes of all parts. */
    long bytes() {
        return parts.stream().mapToLong(CachePart::bytes).sum();
    }

    /** Parts of several descriptors, one after the other. */
    static List<CachePart> all(List<TransferDescriptor> group) {
        List<CachePart> all = new ArrayList<>();
        group.forEach(each -> all.addAll(each.parts));
        return all;
    }

    /** Copies the bytes of a part to host memory; the index counts the parts of the whole group. */
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

    /**
     * Copies the bytes of a part from host memory; the index counts the parts of the whole group.
     */
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
            case CachePart.HostPageRows page ->
                    take(page.layout(), page.position(), page.count(), bytes);
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
            case CachePart.HostPageRows page ->
                    give(page.layout(), page.position(), page.count(), target);
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
