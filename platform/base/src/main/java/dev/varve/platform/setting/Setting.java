package dev.varve.platform.setting;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Something that a person may set, as the messages of lower layers name it.
 *
 * <p>In a text a setting stands as its identifier in braces, {@code {setting:parallel}: expected 1
 * to 256, found 0}: that is what {@link #toString} gives. A text may be wrapped into another one,
 * logged, or sent by a shard process; {@link SettingNames#render} puts the names in where it is
 * shown.
 */
public enum Setting {
    /** Model file. */
    MODEL("model"),
    /** Folder of model files. */
    MODELS("models"),
    /** Whether a shard process belongs to the server that started it. */
    SUPERVISED("supervised"),
    /** The one device of a model. */
    DEVICE("device"),
    /** Several devices of a model, in layer order. */
    DEVICES("devices"),
    /** Share of each device in the layers. */
    LAYER_SPLIT("layerSplit"),
    /** Whether devices of one backend copy from each other directly. */
    PEER_ACCESS("peerAccess"),
    /** Program that starts a shard process. */
    SHARD_LAUNCHER("shardLauncher"),
    /** Folder for the sockets of shard processes. */
    SHARD_WORK_FOLDER("shardWorkFolder"),
    /** How long requests wait for a lost shard that makes no progress. */
    SHARD_PATIENCE("shardPatience"),
    /** Most tokens of one sequence. */
    CONTEXT_TOKENS("contextTokens"),
    /** Most sequences decoded together. */
    PARALLEL("parallel"),
    /** Engines of one model that share its requests. */
    REPLICAS("replicas"),
    /** Tokens of the KV pool. */
    KV_TOKENS("kvTokens"),
    /** Slots of each sequence's pool, where the attention cache is bounded. */
    KVFLASH("kvflash"),
    /** Which pages stay in such a pool. */
    KVFLASH_POLICY("kvflashPolicy"),
    /** Least tokens between two choices of such pages. */
    KVFLASH_TAU("kvflashTau"),
    /** The small model that reads prompts and scores pages. */
    PREFILL_DRAFTER("prefillDrafter"),
    /** Host memory for computed prompts. */
    CACHE_RAM("cacheRam"),
    /** Folder of computed prompts. */
    STORE_FOLDER("storeFolder"),
    /** Store, among those that plugins provide, that keeps what is in that folder. */
    STORE_NAME("storeName"),
    /** Whether computed prompts are written to their folder. */
    STORE_MODE("storeMode"),
    /** Address of a store of computed prompts that several servers share. */
    SHARED_STORE("sharedStore"),
    /** Key for computed prompts on disk. */
    STORE_KEY("storeKey"),
    /** Most requests that wait. */
    QUEUE_LIMIT("queueLimit"),
    /** Element type of cached keys. */
    KEY_CACHE_TYPE("keyCacheType"),
    /** Element type of cached values. */
    VALUE_CACHE_TYPE("valueCacheType"),
    /** Element types of cached keys and values, together. */
    CACHE_TYPES("cacheTypes"),
    /** What guesses tokens. */
    DRAFT("draft"),
    /** Device of a draft model. */
    DRAFT_DEVICE("draftDevice"),
    /** Most guesses in a step. */
    DRAFT_MAX("draftMax"),
    /** Guesses in every step. */
    DRAFT_WIDTH("draftWidth"),
    /** Whether a draft model stays in memory. */
    DRAFT_RESIDENCY("draftResidency"),
    /** Whether guesses branch. */
    DDTREE("ddtree"),
    /** What the numbers of a token may depend on. */
    EXACT_ROWS("exactRows"),
    /** Whether attention is one operator. */
    FLASH_ATTENTION("flashAttention"),
    /** Chat template in the place of the model's own. */
    CHAT_TEMPLATE("chatTemplate"),
    /** Address that the server listens on. */
    HOST("host"),
    /** Port that the server listens on. */
    PORT("port"),
    /** Path that stands before all others behind a proxy. */
    BASE_PATH("basePath"),
    /** Key that every request must bring. */
    API_KEY("apiKey"),
    /** File with such keys. */
    API_KEY_FILE("apiKeyFile"),
    /** Key for what only who runs the server may ask for. */
    OPERATOR_KEY("operatorKey"),
    /** Whether a server without a key may listen where others reach it. */
    INSECURE("insecure"),
    /** Origins whose pages may call the server. */
    CORS_ORIGIN("corsOrigin"),
    /** Names by which clients may address the server. */
    ALLOWED_HOST("allowedHost"),
    /** Size of the largest request body. */
    MAX_BODY("maxBody"),
    /** Most connections of one address. */
    MAX_CONNECTIONS("maxConnections");

    private static final Pattern MARK = Pattern.compile("\\{setting:([a-zA-Z]+)}");

    private static final Map<String, Setting> BY_ID =
            Arrays.stream(values()).collect(Collectors.toMap(Setting::id, Function.identity()));

    private final String id;

    Setting(String id) {
        this.id = id;
    }

    /** The identifier, such as {@code parallel}. */
    public String id() {
        return id;
    }

    /** The identifier as it stands in a text, in braces. */
    @Override
    public String toString() {
        return "{setting:" + id + "}";
    }

    /** Puts names in the place of the settings in a text; braces around other words stay. */
    static String render(String text, SettingNames names) {
        return MARK.matcher(text)
                .replaceAll(
                        mark -> {
                            Setting setting = BY_ID.get(mark.group(1));
                            return Matcher.quoteReplacement(
                                    setting == null ? mark.group() : names.of(setting));
                        });
    }
}
