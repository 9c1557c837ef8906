package dev.varve.platform.http.model;

import dev.varve.api.VarveException;

/** Loads and frees LoRA adapters of a model that runs. Safe for use by several threads. */
public interface AdapterLoader {
    /** A loader for models whose adapters never change. */
    AdapterLoader NONE =
            new AdapterLoader() {
                @Override
                public Loaded add(String path) {
                    throw fixed();
                }

                @Override
                public void remove(int number) {
                    throw fixed();
                }

                private VarveException fixed() {
                    return new VarveException(
                            VarveException.Kind.INVALID_REQUEST,
                            "the adapters of this model cannot be changed");
                }
            };

    /**
     * A loaded adapter.
     *
     * @param number its place in {@link dev.varve.platform.shard.lora.LoraScales}, which no other
     *     adapter has until it is removed and freed
     * @param path its file
     * @param content digest of its content
     */
    record Loaded(int number, String path, String content) {}

    /**
     * Loads an adapter on all devices; waits for that.
     *
     * @param path file on the server's machine
     * @throws VarveException if the file may not be loaded, does not fit the model, or a device
     *     refuses it
     */
    Loaded add(String path);

    /**
     * Frees an adapter when the last request that uses it has ended; does not wait.
     *
     * @throws VarveException of kind INVALID_REQUEST if there is none with this number
     */
    void remove(int number);
}
