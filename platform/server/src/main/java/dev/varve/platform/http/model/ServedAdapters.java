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

    /** By the ids; replaced as a whole with the lock. */
    private volatile SortedMap<Integer, Entry> adapters;

    /** Guarded by this. */
    private int nextId;

    /**
     * A LoRA adapter.
     *
     * @param path file as the operator named it
     * @param scale factor of its changes
     */
    public record Adapter(String path, float scale) {}

    /**
     * An adapter that requests may use.
     *
     * @param path its file
     * @param scale of requests that name none
     * @param number its place in {@link LoraScales}, which may be that of a removed adapter
     * @param content digest of its content; empty if it was loaded with the model
     */
    private record Entry(String path, float scale, int number, String content) {
        Entry scaled(float other) {
            return new Entry(path, other, number, content);
        }
    }

    /**
     * An adapter that was added.
     *
     * @param id its id in requests, which no other adapter gets while the model is loaded
     * @param path its file
     */
    public record Added(int id, String path) {}

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
        SortedMap<Integer, Entry> all = new TreeMap<>();
        loaded.forEach(
                each -> all.put(all.size(), new Entry(each.path(), each.scale(), all.size(), "")));
        adapters = all;
        nextId = all.size();
    }

    /** Returns the adapters by their ids, with the scales of requests that name none. */
    public SortedMap<Integer, Adapter> current() {
        SortedMap<Integer, Adapter> current = new TreeMap<>();
        adapters.forEach((id, each) -> current.put(id, new Adapter(each.path(), each.scale())));
        return Collections.unmodifiableSortedMap(current);
    }

    /** Returns the scales of requests that name none. */
    public LoraScales usual() {
        return scales(adapters);
    }

    /**
     * Sets the scales of requests that name none and arrive later.
     *
     * @param where name of the array in messages
     * @throws ApiException as {@link #read}
     */
    public synchronized void setUsual(String where, JsonNode array) {
        SortedMap<Integer, Entry> named = named(where, array);
        SortedMap<Integer, Entry> all = new TreeMap<>();
        adapters.forEach((id, each) -> all.put(id, named.getOrDefault(id, each.scaled(0))));
        adapters = all;
    }

    /**
     * Loads an adapter; waits for that.
     *
     * @param scale of requests that name none
     * @throws dev.varve.api.VarveException if it cannot be loaded
     */
    public Added add(String path, float scale) {
        AdapterLoader.Loaded added = loader.add(path);
        synchronized (this) {
            int id = nextId++;
            SortedMap<Integer, Entry> all = new TreeMap<>(adapters);
            all.put(id, new Entry(added.path(), scale, added.number(), added.content()));
            adapters = all;
            return new Added(id, added.path());
        }
    }

    /**
     * Removes an adapter. Requests that run keep it.
     *
     * @throws ApiException with status 404 if there is none with this id
     * @throws dev.varve.api.VarveException if adapters of the model cannot be removed
     */
    public synchronized void remove(int id) {
        SortedMap<Integer, Entry> others = new TreeMap<>(adapters);
        Entry removed = others.remove(id);
        if (removed == null) {
            throw ApiException.status(
                    404,
                    "adapter_not_found",
                    "adapter not found: expected one of the ids "
                            + others.keySet()
                            + ", found "
                            + id);
        }
        loader.remove(removed.number());
        adapters = others;
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
        return scales(named(where, array));
    }

    /** Returns the scales of the given adapters; others have the scale 0. */
    private LoraScales scales(SortedMap<Integer, Entry> given) {
        List<Float> values = new ArrayList<>(Collections.nCopies(loaded.size(), 0f));
        List<String> contents = new ArrayList<>(Collections.nCopies(loaded.size(), ""));
        for (Entry each : given.values()) {
            // Without zeros at the end, requests with equal scales share cached prefixes.
            while (values.size() <= each.number() && each.scale() != 0) {
                values.add(0f);
                contents.add("");
            }
            if (each.number() < values.size()) {
                values.set(each.number(), each.scale());
                contents.set(each.number(), each.content());
            }
        }
        LoraScales all = new LoraScales(values, contents);
        return all.contents().isEmpty() ? LoraScales.of(values, loaded) : all;
    }

    /** Returns the adapters that an array names, with its scales. */
    private SortedMap<Integer, Entry> named(String where, JsonNode array) {
        SortedMap<Integer, Entry> known = adapters;
        List<ObjectNode> entries = RequestFields.objects(where, array);
        if (known.isEmpty() && !entries.isEmpty()) {
            throw ApiException.invalid(where, where + ": the model has no LoRA adapters");
        }
        SortedMap<Integer, Entry> named = new TreeMap<>();
        for (ObjectNode entry : entries) {
            RequestFields fields = RequestFields.at(where + "[" + named.size() + "]", entry);
            int id = id(known, fields);
            if (named.containsKey(id)) {
                throw ApiException.invalid(
                        fields.place("id"),
                        fields.place("id")
                                + ": expected each adapter once, found "
                                + id
                                + " again");
            }
            fields.require("scale");
            named.put(id, known.get(id).scaled(scale(fields)));
        }
        return named;
    }

    /**
     * Reads the scale of an adapter from an object with the field {@code scale}; 0 without it.
     *
     * @throws ApiException with status 400 if it is no number in the range of scales
     */
    public static float scale(RequestFields fields) {
        return (float) fields.number("scale", -MOST_SCALE, MOST_SCALE).orElse(0);
    }

    private static int id(SortedMap<Integer, Entry> known, RequestFields fields) {
        fields.require("id");
        int id = (int) fields.whole("id", 0, known.lastKey()).orElseThrow();
        if (!known.containsKey(id)) {
            throw ApiException.invalid(
                    fields.place("id"),
                    fields.place("id")
                            + ": expected one of the ids "
                            + known.keySet()
                            + ", found "
                            + id);
        }
        return id;
    }
}
