package dev.varve.platform.store;

import java.util.ArrayList;
import java.util.List;

/**
 * Under which keys a shared store has what: {@code varve:1:NAMESPACE:OBJECT} an object's head,
 * {@code …:OBJECT:tails} the checkpoints behind a block, {@code varve:1:NAMESPACE:CONTENT:PART} its
 * parts; digests in hexadecimal digits. The number is that of the format.
 *
 * @param prefix what all keys of the namespace begin with
 */
record SharedKeySchema(String prefix) {
    static SharedKeySchema of(Namespace namespace) {
        return new SharedKeySchema("varve:1:" + namespace.folder() + ":");
    }

    String head(ObjectKey object) {
        return prefix + object;
    }

    /** Of a value whose bit {@code n} says that a checkpoint may be {@code n} tokens behind. */
    String tails(ObjectKey block) {
        return prefix + block + ":tails";
    }

    String part(ObjectKey content, int part) {
        return prefix + content + ":" + part;
    }

    List<String> parts(SharedObjectManifest head, int count) {
        List<String> keys = new ArrayList<>(count);
        for (int part = 0; part < count; part++) {
            keys.add(part(head.content(), part));
        }
        return keys;
    }
}
