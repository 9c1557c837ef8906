package dev.varve.platform.paging;

/**
 * How much of a device is kept free for the attention cache when the experts of a model are placed:
 * room for a whole context, unless that would push experts off the device and a pool bounds the
 * cache. Not used yet: experts are not offloaded here, all of them lie on the devices of their
 * layers.
 *
 * @param tokens that room is kept for
 * @param bytes of that room
 * @param allExperts whether all experts fit beside room for a whole context; a pool is of no use
 *     then
 * @param reduced whether room is kept for the pool alone
 */
record PlacementReserve(long tokens, long bytes, boolean allExperts, boolean reduced) {
    /**
     * What is to be placed, in bytes.
     *
     * @param total memory of the device
     * @param core weights that are no experts
     * @param experts weights of all experts
     * @param warm room for experts that come and go
     * @param safety what stays free in any case
     * @param draft a draft model; 0 for none
     */
    record Bytes(long total, long core, long experts, long warm, long safety, long draft) {
        private long fixed() {
            return core + warm + safety + draft;
        }
    }

    /**
     * Works it out, from the same numbers as what runs afterwards.
     *
     * @param bytesPerToken K and V rows of one token
     * @param contextTokens most tokens of a sequence
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
