package dev.varve.platform.store;

import java.util.ArrayList;
import java.util.List;

/**
 * Keys of a shared store: {@code varve:1:NAMESPACE:OBJECT} for an object's head, {@code
 * …:OBJECT:tails} for the checkpoints after a block, {@code varve:1:NAMESPACE:CONTENT:PART} for a
 * part; digests in hexadecimal digits. The number is the version of the format.
 *
 * @param prefix common prefix of all keys of the namespace
 */
record SharedKeySchema(String prefix) {
    static SharedKeySchema of(Namespace namespace) {
        return new SharedKeySchema("varve:1:" + namespace.folder() + ":");
    }

    String head(ObjectKey object) {
        return prefix + object;
    }

    /**
     * Key of a value whose bit {@code n} means that there may be a checkpoint {@code n} tokens
     * after the block.
     */
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
