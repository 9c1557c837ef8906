package dev.varve.platform.engine;

/**
 * A request that one engine has started and another one can complete; reported tokens stay valid.
 */
public sealed interface TransferableRequest extends GenerationHandle permits Request {
    /** Returns the listener with which it was submitted. */
    GenerationListener listener();
}
