package dev.varve.platform.remote;

import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.SnapshotTensor;
import dev.varve.platform.wire.Message;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The bytes of a snapshot as messages, tensor after tensor: {@link TransferId} and i64 bytes in
 * front in the small fields, the bytes in the payload.
 */
final class SnapshotPieces implements Iterator<Message> {
    /** Bytes of a snapshot in one message. */
    static final int BYTES = 4 << 20;

    private final int messageType;
    private final TransferId id;
    private final Iterator<SnapshotTensor> tensors;
    private ByteBuffer rest = ByteBuffer.allocate(0);
    private long offset;

    SnapshotPieces(int messageType, TransferId id, ShardSnapshot snapshot) {
        this.messageType = messageType;
        this.id = id;
        tensors = snapshot.tensors().iterator();
    }

    @Override
    public boolean hasNext() {
        while (!rest.hasRemaining() && tensors.hasNext()) {
            rest = ByteBuffer.wrap(tensors.next().data());
        }
        return rest.hasRemaining();
    }

    @Override
    public Message next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the snapshot has no more bytes");
        }
        int count = Math.min(BYTES, rest.remaining());
        Message piece =
                new Message(
                        messageType,
                        id.put(new FieldWriter()).number(offset).done(),
                        rest.slice(rest.position(), count));
        rest.position(rest.position() + count);
        offset += count;
        return piece;
    }
}
