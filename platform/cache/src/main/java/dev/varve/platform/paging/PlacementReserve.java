package dev.varve.platform.paging;

/**
 * Memory of a device that is reserved for the KV cache when the experts of a model are placed: room
 * for a whole context, unless that would displace experts from the device and a pool bounds the
 * cache. Not used yet: experts are not offloaded, all of them are on the devices of their layers.
 *
 * @param tokens reserved tokens
 * @param bytes reserved bytes
 * @param allExperts whether all experts fit beside a whole context, so that a pool has no benefit
 * @param reduced whether the reserve covers the pool only
 */
record PlacementReserve(long tokens, long bytes, boolean allExperts, boolean reduced) {
    /**
     * Sizes to place, in bytes.
     *
     * @param total memory of the device
     * @param core weights other than experts
     * @param experts weights of all experts
     * @param warm cache for experts that are swapped
     * @param safety margin that always stays free
     * @param draft a draft model; 0 for none
     */
    record Bytes(long total, long core, long experts, long warm, long safety, long draft) {
        private long fixed() {
            return core + warm + safety + draft;
        }
    }

    /**
     * Computes the reserve, from the same numbers as the placement that follows.
     *
     * @param bytesPerToken K and V rows of one token
     * @param contextTokens maximum tokens of a sequence
     * @param poolTokens slots of a pool; 0 for none
     */
    static PlacementReserve of(Bytes sizes, long bytesPerToken, int contextTokens, int poolTokens) {
        long whole = Math.multiplyExact(bytesPerToken, (long) contextTokens);
        long left = Math.max(0, sizes.total() - sizes.fixed() - whole);
        boolean allExperts = left >= sizes.experts();
        if (poolTokens > 0 && poolTokens < contextTokens && !allExperts) {
            long pool = Math.multiplyExact(bytesPerToken, (long) poolTokens);
            return new PlacementReserve(poolTokens, pool, false, true);
        }
        return new PlacementReserve(contextTokens, whole, allExperts, false);
    }
}
