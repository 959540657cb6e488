#!/bin/sh
# Build and run the HIP-Basic and Applications programs of ROCm/rocm-examples with this hipcc, on both software GPUs.
# usage: tools/rocm_examples.sh FOLDER   (a copy of the collection; it is built in place)
# Prints one line a program and GPU: the GPU, the exit status, the program, its last line.
set -u
cd "${1:?usage: tools/rocm_examples.sh FOLDER}" || exit 2
eval "$(softrock env)"
unset SOFTROCK_GPUS
export HIPCXX=hipcc
status=0
for folder in HIP-Basic/* Applications/*; do
    [ -f "$folder/Makefile" ] || continue
    case $folder in *opengl*|*vulkan*|*monte_carlo_pi*) continue ;; esac # graphics, random number library
    make -C "$folder" clean >/dev/null 2>&1
    if ! make -C "$folder" ROCM_INSTALL_DIR="$ROCM_PATH" HIP_ARCHITECTURES="gfx942;gfx1100" >"$folder/build.log" 2>&1
    then
        echo "not built: $folder (see $folder/build.log)"
        status=1
        continue
    fi
    for gpu in gfx942 gfx1100; do
        case $folder in *multi_gpu*) devices=$gpu:2 ;; *) devices=$gpu ;; esac
        for program in $(find "$folder" -maxdepth 1 -type f -perm -u+x ! -name '*.o'); do
            (cd "$folder" && softrock exec --gpu "$devices" --timeout 120 -- "./${program##*/}") >"$folder/run.log" 2>&1
            code=$?
            [ $code -eq 0 ] || status=1
            echo "$gpu $code $program: $(tail -n 1 "$folder/run.log" | cut -c 1-100)"
        done
    done
done
exit $status
