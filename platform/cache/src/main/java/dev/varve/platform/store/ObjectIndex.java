package dev.varve.platform.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Index of the objects of a namespace. An object exists only while all its ancestors do.
 * Thread-safe; every call is short.
 */
final class ObjectIndex {
    /** In the order of insertion, so parents first. */
    private final Map<ObjectKey, Node> nodes = new LinkedHashMap<>();

    /** Objects by the key of their parent. */
    private final Map<ObjectKey, Set<Node>> children = new HashMap<>();

    private int checkpoints;

    /** An object and its place in the tree. Guarded by the index. */
    static final class Node {
        private final ObjectDescriptor name;
        private final Optional<Node> parent;
        private final long bytes;
        private final int chunks;
        private int segment;
        private int uses;
        private long lastUse;

        private Node(JournalEntry.Added added, Optional<Node> parent) {
            name = added.name();
            this.parent = parent;
            bytes = added.bytes();
            chunks = added.chunks();
            segment = added.segment();
            lastUse = added.time();
        }

        private Node(Node other, Optional<Node> parent) {
            name = other.name;
            this.parent = parent;
            bytes = other.bytes;
            chunks = other.chunks;
            segment = other.segment;
            uses = other.uses;
            lastUse = other.lastUse;
        }

        ObjectDescriptor name() {
            return name;
        }

        Optional<Node> parent() {
            return parent;
        }

        int chunks() {
            return chunks;
        }

        int segment() {
            return segment;
        }

        int uses() {
            return uses;
        }

        long lastUse() {
            return lastUse;
        }

        private StoredObjectInfo describe() {
            return new StoredObjectInfo(name, bytes, uses, lastUse);
        }

        private JournalEntry.Added entry() {
            return new JournalEntry.Added(name, bytes, chunks, segment, lastUse);
        }
    }

    /** Applies a journal entry. */
    void apply(JournalEntry entry) {
        switch (entry) {
            case JournalEntry.Added added -> add(added);
            case JournalEntry.Used used -> use(used);
            case JournalEntry.Lost(ObjectKey key) -> remove(key);
            case JournalEntry.Gone(int segment) -> removeSegments(number -> number == segment);
        }
    }

    /** Place of the chunks of an object. */
    record Place(int segment, int chunks) {}

    /** Adds an object whose parent exists; a known object moves to the new segment. */
    synchronized boolean add(JournalEntry.Added added) {
        Node known = nodes.get(added.name().key());
        if (known != null) {
            if (known.chunks != added.chunks()) {
                return false;
            }
            known.segment = added.segment();
            return true;
        }
        Optional<Node> parent = Optional.ofNullable(nodes.get(added.name().parent()));
        boolean fits =
                added.name().isFirst()
                        ? parent.isEmpty()
                        : parent.map(node -> node.name)
                                .filter(
                                        before ->
                                                before.kind() == ObjectKind.BLOCK
                                                        && before.position()
                                                                == added.name().position()
                                                                        - added.name().tail())
                                .isPresent();
        if (!fits) {
            return false;
        }
        Node node = new Node(added, parent);
        nodes.put(added.name().key(), node);
        children.computeIfAbsent(added.name().parent(), key -> new LinkedHashSet<>(2)).add(node);
        checkpoints += added.name().kind() == ObjectKind.CHECKPOINT ? 1 : 0;
        return true;
    }

    /** Finds an object that was last used at a time or later. */
    synchronized Optional<StoredObjectInfo> find(ObjectKey key, long since) {
        return Optional.ofNullable(nodes.get(key))
                .filter(node -> node.lastUse >= since)
                .map(Node::describe);
    }

    synchronized Optional<Place> place(ObjectKey key) {
        return Optional.ofNullable(nodes.get(key))
                .map(node -> new Place(node.segment, node.chunks));
    }

    /** Checkpoints whose parent is a block or a root. */
    synchronized List<StoredObjectInfo> checkpoints(ObjectKey block, long since) {
        return children.getOrDefault(block, Set.of()).stream()
                .filter(node -> node.name.kind() == ObjectKind.CHECKPOINT && node.lastUse >= since)
                .map(Node::describe)
                .toList();
    }

    /** Counts a use of an object, and returns the new count; 0 if it does not exist. */
    synchronized int use(ObjectKey key, long now) {
        Node node = nodes.get(key);
        if (node == null) {
            return 0;
        }
        use(node, node.uses + 1, now);
        return node.uses;
    }

    /** Applies the use count of a journal entry. */
    synchronized void use(JournalEntry.Used used) {
        Optional.ofNullable(nodes.get(used.key()))
                .ifPresent(node -> use(node, used.uses(), used.time()));
    }

    private void use(Node node, int uses, long now) {
        node.uses = uses;
        for (Optional<Node> at = Optional.of(node); at.isPresent(); at = at.get().parent) {
            at.get().lastUse = Math.max(at.get().lastUse, now);
            useFeatures(at.get().name, now);
        }
    }

    /** Extends the life of its hidden states to its own. */
    private void useFeatures(ObjectDescriptor name, long now) {
        for (Node node : children.getOrDefault(name.parent(), Set.of())) {
            if (node.name.kind() == ObjectKind.FEATURES
                    && node.name.position() == name.position()) {
                node.lastUse = Math.max(node.lastUse, now);
            }
        }
    }

    /** Removes an object and its descendants. Returns their number. */
    synchronized int remove(ObjectKey key) {
        Node node = nodes.get(key);
        if (node == null) {
            return 0;
        }
        Set<Node> siblings = children.get(node.name.parent());
        siblings.remove(node);
        if (siblings.isEmpty()) {
            children.remove(node.name.parent());
        }
        List<Node> gone = new ArrayList<>(List.of(node));
        for (int i = 0; i < gone.size(); i++) {
            Node at = gone.get(i);
            nodes.remove(at.name.key());
            checkpoints -= at.name.kind() == ObjectKind.CHECKPOINT ? 1 : 0;
            Optional.ofNullable(children.remove(at.name.key())).ifPresent(gone::addAll);
        }
        return gone.size();
    }

    /** Removes the objects of some segments, and their descendants. Returns their number. */
    synchronized int removeSegments(Predicate<Integer> gone) {
        int before = nodes.size();
        List<ObjectKey> keys =
                nodes.values().stream()
                        .filter(node -> gone.test(node.segment))
                        .map(node -> node.name.key())
                        .toList();
        keys.forEach(this::remove);
        return before - nodes.size();
    }

    /** Removes everything. */
    synchronized void clear() {
        nodes.clear();
        children.clear();
        checkpoints = 0;
    }

    synchronized int size() {
        return nodes.size();
    }

    synchronized int checkpoints() {
        return checkpoints;
    }

    /** Number of chunks by segment. */
    synchronized Map<Integer, Long> chunks() {
        Map<Integer, Long> chunks = new HashMap<>();
        nodes.values().forEach(node -> chunks.merge(node.segment, (long) node.chunks, Long::sum));
        return chunks;
    }

    /** The shortest list of entries that results in this index; parents first. */
    synchronized List<JournalEntry> entries() {
        List<JournalEntry> entries = new ArrayList<>();
        nodes.values().forEach(node -> entries.add(node.entry()));
        nodes.values().stream()
                .filter(node -> node.uses > 0)
                .forEach(
                        node ->
                                entries.add(
                                        new JournalEntry.Used(
                                                node.name.key(), node.uses, node.lastUse)));
        return entries;
    }

    /** All objects, parents first. */
    synchronized List<StoredObjectInfo> objects() {
        return nodes.values().stream().map(Node::describe).toList();
    }

    /**
     * Plans the eviction of a segment. This takes a while and runs on a copy, so that other threads
     * can continue.
     */
    Optional<SegmentEviction.Plan> plan(SegmentEviction rule) {
        return rule.plan(copy());
    }

    private synchronized Collection<Node> copy() {
        Map<ObjectKey, Node> copies = new LinkedHashMap<>(2 * nodes.size());
        nodes.forEach(
                (key, node) ->
                        copies.put(
                                key,
                                new Node(
                                        node,
                                        node.parent.map(parent -> copies.get(parent.name.key())))));
        return copies.values();
    }
}
