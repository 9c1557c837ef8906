package dev.varve.platform.prefix;

import dev.varve.platform.digest.Sha256;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.store.ObjectKey;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * Computes the keys under which a store keeps blocks and checkpoints: SHA-256 over the key of the
 * parent and the tokens. A key therefore identifies all tokens from the first one on, in one scope
 * and one model. Thread-safe.
 */
final class ChainKeys {
    private final byte[] namespace;

    /**
     * @param namespace identifies the model and every other setting that changes the computed
     *     values
     */
    ChainKeys(byte[] namespace) {
        this.namespace = namespace.clone();
    }

    /** Key of the position before the first token of a scope. */
    ObjectKey root(CacheScope scope) {
        MessageDigest digest = digest("varve scope ");
        digest.update(namespace);
        return ObjectKey.of(digest.digest(scope.identity().getBytes(StandardCharsets.UTF_8)));
    }

    ObjectKey block(ObjectKey before, int[] ids) {
        return behind("varve block ", before, ids);
    }

    ObjectKey checkpoint(ObjectKey block, int[] tail) {
        return behind("varve checkpoint ", block, tail);
    }

    /** Key of the hidden states of a block or checkpoint. */
    ObjectKey features(FeatureKind kind, ObjectKey of) {
        List<Integer> numbers = new ArrayList<>(kind.captures());
        numbers.add(kind.hidden());
        return behind("varve features ", of, numbers.stream().mapToInt(each -> each).toArray());
    }

    private static ObjectKey behind(String kind, ObjectKey before, int[] ids) {
        MessageDigest digest = digest(kind);
        digest.update(before.bytes());
        ByteBuffer bytes =
                ByteBuffer.allocate(ids.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(ids);
        digest.update(bytes);
        return ObjectKey.of(digest.digest());
    }

    private static MessageDigest digest(String kind) {
        MessageDigest digest = Sha256.begin();
        digest.update(kind.getBytes(StandardCharsets.UTF_8));
        return digest;
    }
}
