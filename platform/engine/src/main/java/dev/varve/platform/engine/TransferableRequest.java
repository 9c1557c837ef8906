package dev.varve.platform.engine;

/** A request that one engine has begun and another one can end: what was told of it stays true. */
public sealed interface TransferableRequest extends Generation permits Request {
    /** Who hears of it, as it was submitted. */
    GenerationListener listener();
}
