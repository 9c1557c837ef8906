package dev.varve.plugin.kvevents.zmq;

import dev.varve.api.event.CacheEvent;
import dev.varve.api.event.CacheMedium;

import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Events as bytes: an array of the time (a float, seconds since 1970), an array of events, and nil
 * instead of a rank. An event is a map:
 *
 * <ul>
 *   <li>{@code type} "BlockStored", {@code block_hashes} (an array of one integer), {@code
 *       parent_block_hash} (an integer or nil), {@code token_ids} (integers), {@code block_size},
 *       {@code lora_id} and {@code lora_name} nil, {@code medium} "GPU" for the devices or "CPU"
 *       for host memory
 *   <li>{@code type} "BlockRemoved", {@code block_hashes}, {@code medium}
 *   <li>{@code type} "AllBlocksCleared"
 * </ul>
 */
final class EventBatch {
    private static final double MILLIS_PER_SECOND = 1000;

    private final int blockTokens;

    /**
     * @param blockTokens tokens of a block
     */
    EventBatch(int blockTokens) {
        this.blockTokens = blockTokens;
    }

    byte[] encode(List<CacheEvent> events, long millis) {
        try (MessageBufferPacker to = MessagePack.newDefaultBufferPacker()) {
            to.packArrayHeader(3);
            to.packDouble(millis / MILLIS_PER_SECOND);
            to.packArrayHeader(events.size());
            for (CacheEvent event : events) {
                switch (event) {
                    case CacheEvent.Stored stored -> put(stored, to);
                    case CacheEvent.Removed removed -> put(removed, to);
                    case CacheEvent.Cleared cleared ->
                            to.packMapHeader(1).packString("type").packString("AllBlocksCleared");
                }
            }
            to.packNil();
            return to.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void put(CacheEvent.Stored stored, MessageBufferPacker to) throws IOException {
        to.packMapHeader(8);
        to.packString("type").packString("BlockStored");
        putHash(stored.block(), to);
        to.packString("parent_block_hash");
        if (stored.parent().isPresent()) {
            to.packLong(stored.parent().getAsLong());
        } else {
            to.packNil();
        }
        to.packString("token_ids").packArrayHeader(stored.tokens().length);
        for (int token : stored.tokens()) {
            to.packInt(token);
        }
        to.packString("block_size").packInt(blockTokens);
        to.packString("lora_id").packNil();
        to.packString("lora_name").packNil();
        putMedium(stored.medium(), to);
    }

    private static void put(CacheEvent.Removed removed, MessageBufferPacker to) throws IOException {
        to.packMapHeader(3);
        to.packString("type").packString("BlockRemoved");
        putHash(removed.block(), to);
        putMedium(removed.medium(), to);
    }

    private static void putHash(long block, MessageBufferPacker to) throws IOException {
        to.packString("block_hashes").packArrayHeader(1).packLong(block);
    }

    private static void putMedium(CacheMedium medium, MessageBufferPacker to) throws IOException {
        to.packString("medium")
                .packString(
                        switch (medium) {
                            case DEVICE -> "GPU";
                            case HOST -> "CPU";
                        });
    }
}
