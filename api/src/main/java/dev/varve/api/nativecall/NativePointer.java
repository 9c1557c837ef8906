package dev.varve.api.nativecall;

import java.lang.foreign.MemorySegment;

/**
 * An opaque pointer that native code handed out, such as a handle; only good for being passed back.
 * Java never reads through it, and none can be made up.
 */
public final class NativePointer implements NativeArgument {
    /** C's {@code NULL}. */
    public static final NativePointer NULL = new NativePointer(MemorySegment.NULL);

    private final MemorySegment address;

    NativePointer(MemorySegment address) {
        this.address = MemorySegment.ofAddress(address.address());
    }

    /** Whether this is {@code NULL}. */
    public boolean isNull() {
        return address.address() == 0;
    }

    MemorySegment address() {
        return address;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NativePointer pointer && pointer.address.equals(address);
    }

    @Override
    public int hashCode() {
        return address.hashCode();
    }

    @Override
    public String toString() {
        return "0x" + Long.toHexString(address.address());
    }
}
