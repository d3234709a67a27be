"""Spack: `spack repo create overlay`, with this file as overlay/packages/ravel/package.py, then `spack dev-build
ravel@0.1.0` in a checkout."""

from spack.package import conflicts, depends_on, license, variant, version

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage  # of Spack 1
except ImportError:
    from spack.package import CMakePackage


class Ravel(CMakePackage):
    """Data-parallel primitives and flattening, on the CPU and CUDA."""

    license("Apache-2.0")
    version("0.1.0")
    variant("checked", default=False, description="Verify descriptors and indices in every call")
    variant("tbb", default=True, description="Threads of oneTBB; without, std::thread")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("tbb@2021.8:", when="+tbb")
    depends_on("boost@1.74:")  # headers alone: Boost.Hana
    conflicts("%gcc@:11", msg="ravel needs g++ 12 or later")
    conflicts("%clang@:15", msg="ravel needs clang++ 16 or later")

    def cmake_args(self):
        off = [self.define(f"RAVEL_{option}", False) for option in ("CUDA", "TESTS", "EXAMPLES")]
        return off + [
            self.define_from_variant("RAVEL_CHECKED", "checked"),
            self.define("RAVEL_CPU_TEAM", "tbb" if self.spec.satisfies("+tbb") else "std"),
        ]
