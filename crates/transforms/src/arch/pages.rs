//! Huge pages for keys. A bootstrapping key of 59 MB in pages of 4 KiB misses the address cache at
//! every page, and the hardware's prefetcher stops at page ends.

/// Size of a huge page on the machines that matter, in bytes.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// Tells the system that a region, not yet written to, is worth huge pages. A hint: where it is not
/// understood or refused nothing changes.
#[cfg(target_os = "linux")]
pub(crate) fn prefer_huge(region: &mut [f64]) {
    let bytes = size_of_val(region);
    let start = region.as_mut_ptr();
    if start.cast::<u8>().align_offset(HUGE_PAGE) == 0 {
        // SAFETY: the region is ours, starts at a page, and this advice never changes its contents.
        let _ = unsafe { libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn prefer_huge(_region: &mut [f64]) {}
