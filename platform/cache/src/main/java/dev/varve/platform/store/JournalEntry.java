package dev.varve.platform.store;

import java.nio.ByteBuffer;
import java.util.Optional;

/** A change of the objects of a namespace. */
sealed interface JournalEntry {
    /** Maximum bytes of an entry. */
    int MOST_BYTES = 1 + 2 * ObjectKey.BYTES + 5 * Integer.BYTES + 2 * Long.BYTES;

    /** An object was written completely. */
    record Added(ObjectDescriptor name, long bytes, int chunks, int segment, long time)
            implements JournalEntry {}

    /** An object was used, and so were its ancestors. */
    record Used(ObjectKey key, int uses, long time) implements JournalEntry {}

    /** An object cannot be read any more. */
    record Lost(ObjectKey key) implements JournalEntry {}

    /** A segment was deleted. */
    record Gone(int segment) implements JournalEntry {}

    /** Encodes the entry. */
    default void put(ByteBuffer to) {
        switch (this) {
            case Added(ObjectDescriptor name, long bytes, int chunks, int segment, long time) -> {
                to.put((byte) 1);
                name.key().put(to);
                name.parent().put(to);
                to.putInt(name.kind().ordinal()).putInt(name.position()).putInt(name.tail());
                to.putLong(bytes).putInt(chunks).putInt(segment).putLong(time);
            }
            case Used(ObjectKey key, int uses, long time) -> {
                to.put((byte) 2);
                key.put(to);
                to.putInt(uses).putLong(time);
            }
            case Lost(ObjectKey key) -> {
                to.put((byte) 3);
                key.put(to);
            }
            case Gone(int segment) -> to.put((byte) 4).putInt(segment);
        }
    }

    /** Decodes an entry of {@link #put}; empty if the bytes are not valid. */
    static Optional<JournalEntry> read(ByteBuffer from) {
        try {
            JournalEntry entry =
                    switch (from.get()) {
                        case 1 -> added(from);
                        case 2 -> new Used(ObjectKey.read(from), from.getInt(), from.getLong());
                        case 3 -> new Lost(ObjectKey.read(from));
                        case 4 -> new Gone(from.getInt());
                        default -> null;
                    };
            return Optional.ofNullable(entry).filter(read -> !from.hasRemaining());
        } catch (java.nio.BufferUnderflowException
                | IllegalArgumentException
                | IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    private static Added added(ByteBuffer from) {
        ObjectKey key = ObjectKey.read(from);
        ObjectKey parent = ObjectKey.read(from);
        ObjectKind kind = ObjectKind.values()[from.getInt()];
        ObjectDescriptor name =
                new ObjectDescriptor(key, parent, kind, from.getInt(), from.getInt());
        return new Added(name, from.getLong(), from.getInt(), from.getInt(), from.getLong());
    }
}
