package dev.varve.platform.http.model;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.shard.lora.LoraScales;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The LoRA adapters of a served model, and the scales of requests that name none. Operators change
 * both while the server runs. Safe for use by several threads.
 */
public final class ServedAdapters {
    /** Bound of scales in requests; useful ones are below 10. */
    private static final double MOST_SCALE = 1e6;

    /** Scales of the adapters that were loaded with the model. */
    private final List<Float> loaded;

    private final AdapterLoader loader;

    /** Replaced as a whole with the lock. */
    private volatile State state;

    /**
     * A LoRA adapter.
     *
     * @param path file as the operator named it
     * @param scale factor of its changes
     */
    public record Adapter(String path, float scale) {}

    /**
     * The adapters by their ids.
     *
     * @param adapters with the scales of requests that name none
     * @param contents digests of those that were added while the model ran
     */
    private record State(
            SortedMap<Integer, Adapter> adapters, SortedMap<Integer, String> contents) {
        State with(int id, Adapter adapter, String content) {
            SortedMap<Integer, Adapter> all = new TreeMap<>(adapters);
            all.put(id, adapter);
            SortedMap<Integer, String> digests = new TreeMap<>(contents);
            digests.put(id, content);
            return new State(all, digests);
        }

        State without(int id) {
            SortedMap<Integer, Adapter> all = new TreeMap<>(adapters);
            all.remove(id);
            SortedMap<Integer, String> digests = new TreeMap<>(contents);
            digests.remove(id);
            return new State(all, digests);
        }

        /** Returns the state with scales; an adapter that is not named has scale 0. */
        State scaled(SortedMap<Integer, Float> scales) {
            SortedMap<Integer, Adapter> all = new TreeMap<>();
            adapters.forEach(
                    (id, adapter) ->
                            all.put(id, new Adapter(adapter.path(), scales.getOrDefault(id, 0f))));
            return new State(all, contents);
        }

        SortedMap<Integer, Float> scales() {
            SortedMap<Integer, Float> scales = new TreeMap<>();
            adapters.forEach((id, adapter) -> scales.put(id, adapter.scale()));
            return scales;
        }
    }

    /** Makes the adapters of a model with the scales with which they were loaded. */
    public ServedAdapters(List<Adapter> loaded) {
        this(loaded, AdapterLoader.NONE);
    }

    /**
     * Makes the adapters of a model with the scales with which they were loaded.
     *
     * @param loader adds and removes adapters
     */
    public ServedAdapters(List<Adapter> loaded, AdapterLoader loader) {
        this.loaded = loaded.stream().map(Adapter::scale).toList();
        this.loader = loader;
        SortedMap<Integer, Adapter> adapters = new TreeMap<>();
        loaded.forEach(adapter -> adapters.put(adapters.size(), adapter));
        state = new State(adapters, Collections.emptySortedMap());
    }

    /** Returns the adapters by their ids, with the scales of requests that name none. */
    public SortedMap<Integer, Adapter> current() {
        return Collections.unmodifiableSortedMap(state.adapters());
    }

    /** Returns the scales of requests that name none. */
    public LoraScales usual() {
        State now = state;
        return scales(now, now.scales());
    }

    /**
     * Sets the scales of requests that name none and arrive later.
     *
     * @param where name of the array in messages
     * @throws ApiException as {@link #read}
     */
    public synchronized void setUsual(String where, JsonNode array) {
        state = state.scaled(entries(state, where, array));
    }

    /**
     * Loads an adapter; waits for that.
     *
     * @param scale of requests that name none
     * @throws dev.varve.api.VarveException if it cannot be loaded
     */
    public AdapterLoader.Loaded add(String path, float scale) {
        AdapterLoader.Loaded added = loader.add(path);
        synchronized (this) {
            state = state.with(added.id(), new Adapter(added.path(), scale), added.content());
        }
        return added;
    }

    /**
     * Removes an adapter. Requests that run keep it.
     *
     * @throws ApiException with status 404 if there is none with this id
     * @throws dev.varve.api.VarveException if adapters of the model cannot be removed
     */
    public synchronized void remove(int id) {
        if (!state.adapters().containsKey(id)) {
            throw ApiException.status(
                    404,
                    "adapter_not_found",
                    "adapter not found: expected one of the ids "
                            + state.adapters().keySet()
                            + ", found "
                            + id);
        }
        loader.remove(id);
        state = state.without(id);
    }

    /**
     * Reads scales in llama.cpp's format: {@code [{"id": 0, "scale": 0.5}]}. An adapter that is not
     * listed has scale 0.
     *
     * @param where name of the array in messages
     * @throws ApiException with status 400 if an id is unknown or listed twice, or if a scale is
     *     missing or no number
     */
    public LoraScales read(String where, JsonNode array) {
        State now = state;
        return scales(now, entries(now, where, array));
    }

    private LoraScales scales(State now, SortedMap<Integer, Float> scales) {
        int count = Math.max(loaded.size(), scales.isEmpty() ? 0 : scales.lastKey() + 1);
        List<Float> values = new ArrayList<>(Collections.nCopies(count, 0f));
        scales.forEach(values::set);
        // Requests that compute the same share cached prefixes, whatever was added since.
        while (values.size() > loaded.size() && values.getLast() == 0) {
            values.removeLast();
        }
        List<String> contents = new ArrayList<>(Collections.nCopies(values.size(), ""));
        now.contents().headMap(values.size()).forEach(contents::set);
        LoraScales all = new LoraScales(values, contents);
        return all.contents().isEmpty() ? LoraScales.of(values, loaded) : all;
    }

    private static SortedMap<Integer, Float> entries(State now, String where, JsonNode array) {
        List<ObjectNode> entries = RequestFields.objects(where, array);
        if (now.adapters().isEmpty() && !entries.isEmpty()) {
            throw ApiException.invalid(where, where + ": the model has no LoRA adapters");
        }
        SortedMap<Integer, Float> scales = new TreeMap<>();
        for (ObjectNode entry : entries) {
            RequestFields fields = RequestFields.at(where + "[" + scales.size() + "]", entry);
            int id = id(now, fields);
            if (scales.containsKey(id)) {
                throw ApiException.invalid(
                        fields.place("id"),
                        fields.place("id")
                                + ": expected each adapter once, found "
                                + id
                                + " again");
            }
            fields.require("scale");
            scales.put(id, scale(fields));
        }
        return scales;
    }

    /**
     * Reads the scale of an adapter from an object with the field {@code scale}; 0 without it.
     *
     * @throws ApiException with status 400 if it is no number in the range of scales
     */
    public static float scale(RequestFields fields) {
        return (float) fields.number("scale", -MOST_SCALE, MOST_SCALE).orElse(0);
    }

    private static int id(State now, RequestFields fields) {
        fields.require("id");
        SortedMap<Integer, Adapter> adapters = now.adapters();
        int id = (int) fields.whole("id", 0, adapters.lastKey()).orElseThrow();
        if (!adapters.containsKey(id)) {
            throw ApiException.invalid(
                    fields.place("id"),
                    fields.place("id")
                            + ": expected one of the ids "
                            + adapters.keySet()
                            + ", found "
                            + id);
        }
        return id;
    }
}
