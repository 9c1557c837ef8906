package dev.varve.api.nativecall;

import java.lang.foreign.MemorySegment;

/**
 * An opaque pointer that native code returned, such as a handle; its only use is as an argument.
 * Java never reads through it and cannot create one from a number.
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
